package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"mpf/cmd/mpf/amount"
	"mpf/cmd/mpf/progress"
	"mpf/engine"
	"mpf/engine/design"
	"mpf/engine/execute"
	"mpf/remote"
	"mpf/remote/deploy"
	"mpf/remote/inventory"
	"mpf/results/campaign"
	"mpf/results/tables"
)

// runOptions are what the command line says of one invocation.
type runOptions struct {
	choice
	file         string
	out          string
	base         string
	new, extend  bool
	acceptScript bool
	retry        []string
	failFast     bool
	keepGoing    bool
	durability   string
	noPerf       bool
	period       string
	shared       bool
	acceptNew    bool
	live         bool
	asJSON       bool
	given        []string         // flags that going on takes too
	carried      []deploy.Carried // what a record holds of what it deployed
}

func (r *runOptions) register(o *options) {
	r.registerCluster(o.FlagSet)
	o.StringVarP(&r.out, "out", "o", "", "campaign `directory`; else the newest one below "+defaultBase+"/EXPERIMENT, or a new one there")
	o.BoolVar(&r.new, "new", false, "begin another campaign")
	o.BoolVar(&r.extend, "extend", false, "go on with the newest campaign or fail: never begin another one")
	o.BoolVar(&r.acceptScript, "accept-script", false, "go on although steps have changed since rows were measured")
	o.StringSliceVar(&r.retry, "retry", nil, "repeat ended runs of these `statuses` too: failed,timeout,skipped")
	r.choice.register(o)
	o.BoolVar(&r.failFast, "fail-fast", false, "stop at the first run that does not end ok")
	o.BoolVar(&r.keepGoing, "keep-going", false, "go on although the first runs all fail by the same mistake of the file")
	o.StringVar(&r.durability, "durability", "strict", "what an acknowledged run survives: `strict` (loss of power) or os (death of mpf)")
	o.BoolVar(&r.noPerf, "no-perf", false, "take no samples of the hosts' performance")
	o.StringVar(&r.period, "sample-period", "", "`time` between two readings of a host, 10ms at least")
	o.BoolVar(&r.shared, "shared-host", false, "measure on hosts that another campaign may be using")
	o.BoolVar(&r.acceptNew, "accept-new-host-keys", false, "take and note the key of a host never seen before")
	o.BoolVarP(&r.live, "verbose", "v", false, "show what commands print, as it comes")
	o.BoolVar(&r.asJSON, "json", false, "print the summary as JSON, for programs")
}

const defaultBase = "mpf-out"

// run executes what is missing of an experiment.
func (p *program) run(args []string) error {
	o := newOptions("run FILE|DIR [flags]\n\n" +
		"Executes what is missing of an experiment, on this machine or on the hosts of a cluster file.\n" +
		"It goes on with the newest campaign of the experiment. DIR is a campaign: its own file is taken.")
	r := runOptions{base: defaultBase}
	r.register(o)
	if err := o.parse(p, args, 1, 1); err != nil {
		return err
	}
	again, err := r.check()
	if err != nil {
		return err
	}
	r.file, r.given = o.Arg(0), o.given("new", "accept-script", "retry", "fail-fast", "json")
	if err := p.restore(o.Arg(0)); err != nil {
		return err
	}
	target, err := target(o.Arg(0), &r)
	if err != nil {
		return err
	}
	l, err := p.load(target, &r.choice)
	if err != nil {
		return err
	}
	return p.start(l, &r, again)
}

// start executes what is missing of an experiment that was read.
func (p *program) start(l *loaded, r *runOptions, again map[engine.Status]bool) error {
	if err := r.adjust(l.experiment); err != nil {
		return err
	}
	placement, err := l.cluster.Place(l.experiment)
	if err != nil {
		return err
	}
	for _, w := range l.design.Warnings() {
		p.say.warn("%v", w)
	}
	return p.execute(l, r, placement, again)
}

// check refuses words that flags do not know, and returns the statuses of the
// ended runs that are repeated.
func (r *runOptions) check() (again map[engine.Status]bool, err error) {
	switch campaign.Durability(r.durability) {
	case campaign.Strict, campaign.OS:
		return parseRetry(r.retry)
	}
	return nil, &usageError{message: fmt.Sprintf("--durability %q: there is none of that name", r.durability), todo: "--durability strict, or --durability os"}
}

func parseRetry(words []string) (map[engine.Status]bool, error) {
	again := map[engine.Status]bool{}
	for _, word := range words {
		status := engine.Status(strings.TrimSpace(word))
		switch status {
		case engine.Failed, engine.TimedOut, engine.Skipped:
			again[status] = true
		default:
			return nil, &usageError{
				message: fmt.Sprintf("--retry %q: is no status that is kept until it is asked for", word),
				todo:    "--retry failed,timeout,skipped; interrupted and unreachable runs are repeated anyway",
			}
		}
	}
	return again, nil
}

// adjust applies what the command line says of sampling.
func (r *runOptions) adjust(e *engine.Experiment) error {
	if r.noPerf {
		e.Sampling.Off = true
	}
	if r.period == "" {
		return nil
	}
	period, err := parsePeriod(r.period)
	e.Sampling.Period = period
	return err
}

// execute opens the campaign, reaches the hosts and executes what is missing.
func (p *program) execute(l *loaded, r *runOptions, placement inventory.Placement, again map[engine.Status]bool) error {
	s := &session{program: p, loaded: l, options: r, placement: placement, again: again, file: r.file}
	defer s.closeHosts()
	defer s.closeDeployer()
	if err := s.open(); err != nil {
		return err
	}
	err := s.work()
	return s.close(err)
}

// A session is one invocation of mpf run under way.
type session struct {
	*program
	*loaded
	options      *runOptions
	placement    inventory.Placement
	again        map[engine.Status]bool
	dir          string
	campaign     *campaign.Campaign
	tables       *tables.Publisher
	fleet        *remote.Fleet
	deployer     *deploy.Deployer // or nil: nothing is deployed
	staged       []deploy.Carried
	file         string // as the command line names it
	begun        bool   // by this invocation
	surroundings surroundings
	before       map[string]map[string]engine.Value // facts of the hosts before the first run
	settled      int                                // treatments that need no further replicate
}

func (s *session) work() error {
	t := s.tally()
	if t.todo == 0 {
		s.markComplete()
		s.say.talk("nothing to run: %s", s.allDone(t))
		return nil
	}
	before := t.kept + t.fresh - t.todo
	if before > 0 {
		s.say.talk("%s done before, %s to do", amount.Count(before, "run"), amount.Count(t.todo, "run"))
	}
	if err := s.stage(); err != nil {
		return err
	}
	if err := s.keepSources(); err != nil {
		return err
	}
	if err := s.reach(); err != nil {
		return err
	}
	if err := s.recordFacts(); err != nil {
		return err
	}
	watch := progress.New(s.say.screen(), progress.Options{
		Variables: s.experiment.Variables, Total: before + t.todo, Before: before, Groups: len(s.placement.Groups), Live: s.options.live,
	})
	loop := s.loop(watch)
	if s.deployer != nil {
		deployer, err := s.prepareDeployer(watch)
		if err != nil {
			return err
		}
		loop.Deployer = deployer
	}
	watch.Tick()
	err := loop.Execute(s.ctx)
	watch.Finish()
	if err == nil {
		s.markComplete()
	}
	return err
}

// markComplete notes that the campaign has no run left, if all of the design
// was asked for.
func (s *session) markComplete() {
	if s.part.Runs() == s.design.Runs() {
		s.campaign.Complete()
	}
}

// allDone says why nothing is left to do.
func (s *session) allDone(t tally) string {
	if s.settled > 0 {
		return fmt.Sprintf("%s have a row, and %s further replicates", amount.Count(t.kept, "run"), needNo(s.settled))
	}
	return fmt.Sprintf("all %s have a row", amount.Count(t.kept, "run"))
}

// settle tells the design what stopping rules decided in earlier invocations,
// and records what they would have decided had there been time.
func (s *session) settle() error {
	settled, missed, err := settle(s.campaign, s.part, true)
	if err != nil {
		return err
	}
	s.settled = settled
	for _, d := range missed {
		if err := s.campaign.Decide(s.ctx, d); err != nil {
			return err
		}
	}
	if settled > 0 {
		s.say.talk("%s further replicates: why, by treatment: mpf show --stopped %s", needNo(settled), quoted(s.campaign.Dir()))
	}
	return nil
}

func (s *session) loop(watch *progress.Progress) *execute.Loop {
	loop := &execute.Loop{
		Experiment: s.experiment, Design: watched{s.part, watch}, Groups: s.groups(), Ledger: s.campaign,
		Watch: watch, Again: s.again, FirstStops: s.options.failFast, KeepGoing: s.options.keepGoing,
	}
	if s.options.live {
		loop.Output = watch
	}
	return loop
}

// watched is a design whose decisions are told as they are made.
type watched struct {
	*design.Design
	progress *progress.Progress
}

// EndBlock applies the stopping rules and tells what they decided.
func (w watched) EndBlock(b int) []engine.Decision {
	decisions := w.Design.EndBlock(b)
	w.progress.Decided(w.Design, b, decisions)
	return decisions
}

// close ends the campaign and says how it stands. The error that ended the work
// comes before one of closing.
func (s *session) close(work error) error {
	if storage := new(execute.StorageError); errors.As(work, &storage) {
		s.campaign.Fail(storage.Err)
	}
	s.endHosts()
	closing := s.campaign.Close()
	s.report(work)
	switch {
	case errors.Is(work, context.Canceled) && closing == nil:
		return &hinted{work, s.goOn()}
	case work != nil:
		return s.explain(work)
	case closing != nil:
		return closing
	}
	return s.verdict()
}

// verdict is an error where a run of the design did not end ok. Rows that are
// orphaned do not count.
func (s *session) verdict() error {
	bad := int64(0)
	for status, n := range s.campaign.Count() {
		if isBad(status) {
			bad += n
		}
	}
	if bad > 0 && len(s.campaign.Plans()) > 1 {
		bad = tallyOf(s.design, s.campaign, s.campaign.Over(), nil).bad
	}
	if bad > 0 {
		return errSomeFailed
	}
	return nil
}
