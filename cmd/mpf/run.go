package main

import (
	"fmt"
	"strings"

	"mpf/engine"
	"mpf/remote/deploy"
	"mpf/remote/inventory"
	"mpf/results/campaign"
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
	o.StringVar(&r.period, "sample-period", "", "`time` between two readings of a host, 10ms to 1h")
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
