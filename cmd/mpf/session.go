package main

import (
	"context"
	"errors"
	"fmt"

	"mpf/cmd/mpf/amount"
	"mpf/cmd/mpf/argv"
	"mpf/cmd/mpf/progress"
	"mpf/cmd/mpf/standing"
	"mpf/engine"
	"mpf/engine/design"
	"mpf/engine/execute"
	"mpf/remote"
	"mpf/remote/deploy"
	"mpf/remote/inventory"
	"mpf/results/campaign"
	"mpf/results/tables"
)

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
	if t.Todo == 0 {
		s.markComplete()
		s.say.talk("nothing to run: %s", s.allDone(t))
		return nil
	}
	before := t.Kept + t.Fresh - t.Todo
	if before > 0 {
		s.say.talk("%s done before, %s to do", amount.Count(before, "run"), amount.Count(t.Todo, "run"))
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
		Variables: s.experiment.Variables, Total: before + t.Todo, Before: before, Groups: len(s.placement.Groups), Live: s.options.live,
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
func (s *session) allDone(t standing.Tally) string {
	if s.settled > 0 {
		return fmt.Sprintf("%s have a row, and %s further replicates", amount.Count(t.Kept, "run"), needNo(s.settled))
	}
	return fmt.Sprintf("all %s have a row", amount.Count(t.Kept, "run"))
}

// tally counts the runs that are asked for. Where every row is one of theirs, as
// it is under the first plan without stopping rules, the rows alone tell; that
// nothing is left to do is not said without a look at each run. What a look finds
// over the campaign learns, so that nobody has to look there again.
func (s *session) tally() standing.Tally {
	over := s.campaign.Over()
	known := over.Size() == s.campaign.Count()[engine.OK]
	if known && len(s.campaign.Plans()) == 1 && len(s.experiment.Stopping) == 0 && s.part.Runs() == s.design.Runs() {
		if t := standing.CountRows(s.part, s.campaign, s.again); t.Todo > 0 {
			return t
		}
	}
	t := standing.Count(s.part, s.campaign, over, s.again)
	s.campaign.Learn(engine.NewPlaces(t.Found))
	return t
}

// settle tells the design what stopping rules decided in earlier invocations,
// and records what they would have decided had there been time.
func (s *session) settle() error {
	settled, missed, err := standing.Settle(s.campaign, s.part, true)
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
		s.say.talk("%s further replicates: why, by treatment: mpf show --stopped %s", needNo(settled), argv.Quote(s.campaign.Dir()))
	}
	return nil
}

// needNo is the beginning of a sentence on settled treatments.
func needNo(n int) string { return amount.Agree(n, "treatment needs no", "treatments need no") }

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
		if status.Bad() {
			bad += n
		}
	}
	if bad > 0 && len(s.campaign.Plans()) > 1 {
		bad = standing.Count(s.design, s.campaign, s.campaign.Over(), nil).Bad
	}
	if bad > 0 {
		return errSomeFailed
	}
	return nil
}
