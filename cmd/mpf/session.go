package main

import (
	"context"
	"errors"
	"fmt"

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
