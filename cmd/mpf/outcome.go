package main

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"mpf/cmd/mpf/amount"
	"mpf/cmd/mpf/argv"
	"mpf/cmd/mpf/planned"
	"mpf/cmd/mpf/standing"
	"mpf/engine"
	"mpf/engine/execute"
	"mpf/results/campaign"
)

// maxChanges is how many changes of an experiment are said one by one.
const maxChanges = 8

// sayDrift says how the plan differs from the one that was in force, and what
// that means for the runs.
func (s *session) sayDrift(stand *standing.Standing) {
	if len(stand.Drift.Design)+len(stand.Diff.Orphaned)+len(stand.Drift.Script) > 0 {
		s.say.talk("the experiment has changed: %s", planned.Difference(stand.Diff, stand.Todo))
		s.sayChanges(stand)
	}
	if n := len(stand.Diff.Orphaned); n > 0 {
		s.say.talk("orphaned rows stay in the record, marked; which: mpf plan %s %s", argv.Quote(s.campaign.Dir()), argv.Quote(s.file))
	}
	if len(stand.Drift.Script) > 0 && stand.Diff.Kept > 0 && !standing.Unmeasured(s.campaign) {
		s.say.warn("%s kept of other code: %s; each row names its plan", amount.Count(stand.Diff.Kept, "run"), joined(stand.Drift.Script))
	}
}

// sayChanges says what an edit did to the experiment.
func (s *session) sayChanges(stand *standing.Standing) {
	for i, c := range stand.Changes {
		if i == maxChanges {
			s.say.talk("  and %s", amount.Count(len(stand.Changes)-maxChanges, "other change"))
			return
		}
		s.say.talk("  %s", planned.Change(c))
	}
}

// report prints what came out: the table of results on stdout, where the files
// lie and what to do next on stderr.
func (s *session) report(work error) {
	dir := s.campaign.Dir()
	if err := s.summarise(dir); err != nil && !(work != nil && errors.Is(err, fs.ErrNotExist)) {
		s.say.warn("no summary: %v", err)
	}
	for _, w := range s.tables.Report().Warnings {
		s.say.warn("%s", w.Text)
	}
	counts := s.campaign.Count()
	s.say.talk("%s in %s", statuses(counts), filepath.Join(dir, "runs.parquet"))
	switch {
	case work != nil:
	case counts[engine.Failed]+counts[engine.TimedOut]+counts[engine.Unreachable] > 0:
		s.say.hint("why: mpf show --failed %s; repeat them: %s --retry failed,timeout", argv.Quote(dir), s.command())
	case s.begun && s.file == "":
		s.say.hint("more: mpf show %s", argv.Quote(dir))
	case s.begun:
		s.say.hint("more: mpf show %s; change a level and give the same command again: only what is new runs", argv.Quote(dir))
	}
}

// statuses prints the rows by status: 90 ok, 2 failed.
func statuses(counts map[engine.Status]int64) string {
	var words []string
	for _, status := range engine.Statuses {
		if n := counts[status]; n > 0 {
			words = append(words, fmt.Sprintf("%s %s", amount.Thousands(n), status))
		}
	}
	if len(words) == 0 {
		return "no rows"
	}
	return "rows: " + strings.Join(words, ", ")
}

// command is the command line that goes on with this campaign: the one that was
// given, without what begins another one or repeats what ended.
func (s *session) command() string {
	words := append([]string{"mpf run"}, s.options.given...)
	if s.file != "" {
		return strings.Join(append(words, argv.Quote(s.file)), " ")
	}
	if s.options.cluster != "" {
		words = append(words, "-c", argv.Quote(s.options.cluster))
	}
	return strings.Join(append(words, argv.Quote(s.campaign.Dir())), " ") // it holds its script
}

func (s *session) goOn() string {
	return fmt.Sprintf("%s kept; go on with: %s", amount.Count(rows(s.campaign.Count()), "row"), s.command())
}

// mend says what to do about a mistake of the file that fails every run.
func (s *session) mend(mistake *execute.MistakeError) string {
	where := "the file"
	if trace := mistake.Last.Trace; len(trace) > 0 {
		where = trace[len(trace)-1].String()
	}
	return fmt.Sprintf("%s kept; mend %s and repeat them with: %s --retry failed; or go through all runs all the same: %s --keep-going",
		amount.Count(rows(s.campaign.Count()), "row"), where, s.command(), s.command())
}

func rows(counts map[engine.Status]int64) (n int64) {
	for _, c := range counts {
		n += c
	}
	return n
}

// explain adds what to do to an error that ended the work.
func (s *session) explain(err error) error {
	var (
		storage *execute.StorageError
		lost    *execute.HostLost
		refused *campaign.RefusedError
		setup   *execute.SetupError
		failure *engine.Failure
		mistake *execute.MistakeError
	)
	switch {
	case errors.As(err, &mistake):
		s.say.talk("%v", err)
		return &hinted{errSomeFailed, s.mend(mistake)}
	case errors.As(err, &refused):
		return refused // no matter of storage: it says itself what helps
	case errors.As(err, &setup) && errors.As(setup.Err, &failure) && len(failure.Trace) > 0:
		return &hinted{err, fmt.Sprintf("see %s; what setup printed: %s", failure.Trace[len(failure.Trace)-1], filepath.Join(s.campaign.Dir(), "setup"))}
	case errors.As(err, &failure) && failure.Cause == engine.CauseBuild && len(failure.Trace) > 0:
		return &hinted{err, fmt.Sprintf("every run needs it; see %s", failure.Trace[0])}
	case errors.As(err, &storage), errors.As(err, &lost):
		return &hinted{err, s.goOn()}
	case errors.Is(err, execute.ErrStopped):
		s.say.talk("%v", err)
		return &hinted{errSomeFailed, s.goOn()}
	}
	return err
}

func joined(words []string) string { return strings.Join(words, ", ") }
