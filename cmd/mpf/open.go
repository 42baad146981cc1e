package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"mpf/cmd/mpf/amount"
	"mpf/cmd/mpf/argv"
	"mpf/cmd/mpf/planned"
	"mpf/cmd/mpf/standing"
	"mpf/results/campaign"
	"mpf/results/record"
	"mpf/results/shelf"
	"mpf/results/tables"
)

// target returns the experiment file that a word of the command line names. A
// campaign's directory names the file, the cluster and itself.
func target(word string, r *runOptions) (string, error) {
	info, err := os.Stat(word)
	if err != nil || !info.IsDir() {
		return word, nil
	}
	if word, err = filepath.EvalSymlinks(word); err != nil {
		return "", err
	}
	c, err := campaign.Read(word)
	if err != nil {
		return "", err
	}
	defer c.Close()
	plan := c.Plan()
	if len(plan.Experiment.Sources) == 0 {
		return "", &campaign.RefusedError{Dir: word, What: "has no script: its rows were imported", Todo: "see them: mpf show " + word}
	}
	if r.out == "" {
		r.out = word
	}
	kept, err := sourcesOf(c)
	if err != nil {
		return "", err
	}
	r.carried = carriedOf(kept)
	r.flags = append(flagsOf(plan.Experiment), r.flags...)
	inputs := c.InputDir(plan.Number)
	if r.cluster == "" && plan.Cluster != "" {
		r.cluster = filepath.Join(word, inputs, "cluster.yaml")
	}
	return filepath.Join(word, inputs, filepath.FromSlash(plan.Experiment.Sources[0].Path)), nil
}

// open opens the campaign that this invocation works on and says which it is.
func (s *session) open() error {
	dir, err := s.choose()
	if err != nil {
		return err
	}
	if dir == "" {
		return s.create()
	}
	s.dir = dir
	s.campaign, err = campaign.Open(dir, s.config())
	if errors.Is(err, campaign.ErrNotBegun) {
		return s.create()
	}
	if err != nil {
		return err
	}
	if err := s.continues(dir); err != nil {
		closeErr := s.campaign.Close()
		s.campaign = nil
		if closeErr != nil {
			s.say.warn("%v", closeErr)
		}
		return err
	}
	return nil
}

// choose returns the directory of the campaign to go on with, or "".
func (s *session) choose() (string, error) {
	r := s.options
	if r.out != "" {
		if !r.new {
			if err := s.restore(r.out); err != nil {
				return "", err
			}
		}
		if _, err := os.Stat(filepath.Join(r.out, "plan")); err == nil && !r.new {
			return filepath.EvalSymlinks(r.out)
		}
		return "", s.mustGoOn()
	}
	if r.new {
		return "", s.mustGoOn()
	}
	dir, _, err := shelf.Find(r.base, s.experiment.Name)
	if err != nil || dir == "" {
		return "", firstOf(err, s.mustGoOn())
	}
	old, err := campaign.Read(dir)
	if err != nil {
		return dir, nil // opening it says what is wrong, and mends what it can
	}
	defer old.Close()
	if other := old.Compare(s.frozen()).Other; len(other) > 0 && !r.extend {
		s.say.talk("another campaign: the newest, %s, has %s", dir, joined(other))
		return "", nil
	}
	return dir, nil
}

// mustGoOn is the error of a new campaign where --extend forbids one.
func (s *session) mustGoOn() error {
	if s.options.extend {
		return &usageError{message: "--extend: there is no campaign of experiment " + s.experiment.Name + " to go on with", todo: "leave --extend out, or name the campaign with -o DIR"}
	}
	return nil
}

// create begins a campaign, once its hosts are reached: one that cannot start
// leaves nothing behind.
func (s *session) create() (err error) {
	dir := s.options.out
	if dir == "" {
		if dir, err = shelf.NewDir(s.options.base, s.experiment.Name, time.Now()); err != nil {
			return err
		}
	}
	s.dir = dir
	if err := s.stage(); err != nil {
		return err
	}
	if err := s.reach(); err != nil {
		return err
	}
	if s.campaign, err = campaign.Create(dir, s.frozen(), nil, s.config()); err != nil {
		return err
	}
	s.begun = true
	if s.options.out == "" {
		if err := shelf.PointLatest(dir); err != nil {
			s.say.warn("%v", err)
		}
	}
	s.say.talk("%s: %s x %s = %s, seed %d, in %s", s.experiment.Name, amount.Count(s.design.Treatments(), "treatment"),
		amount.Count(s.design.Blocks(), "replicate"), amount.Count(s.design.Runs(), "run"), s.experiment.Seed, dir)
	return nil
}

// continues checks that the experiment goes on where the campaign ended, puts
// its plan in force and says what differs.
func (s *session) continues(dir string) error {
	stand := standing.Compare(s.campaign, s.frozen())
	if stand.Refusal != nil && (len(stand.Drift.Other) > 0 || !s.options.acceptScript) {
		err := stand.Refusal
		return s.refused(stand, err)
	}
	s.say.talk("going on with %s", dir)
	if !stand.Drift.Same() {
		if err := s.campaign.Extend(s.frozen(), stand.Drift.Reason()); err != nil {
			return err
		}
	}
	if err := s.settle(); err != nil || stand.Drift.Same() {
		return err
	}
	if err := stand.Measure(s.campaign, s.part); err != nil {
		return err
	}
	s.sayDrift(stand)
	return nil
}

// refused says what an experiment that is refused would have meant, and with
// which command to go on all the same.
func (s *session) refused(stand *standing.Standing, err error) error {
	if len(stand.Drift.Other) > 0 {
		return err
	}
	if _, _, err := standing.Settle(s.campaign, s.part, false); err != nil {
		return err
	}
	if err := stand.Measure(s.campaign, s.part); err != nil {
		return err
	}
	s.say.talk("%s", planned.Difference(stand.Diff, stand.Todo))
	s.sayChanges(stand)
	again := ""
	if len(s.options.retry) > 0 {
		again = " --retry " + strings.Join(s.options.retry, ",")
	}
	return &hinted{err, fmt.Sprintf("go on all the same with: %s --accept-script%s; or begin another campaign with: mpf run --new %s", s.command(), again, argv.Quote(s.file))}
}

// frozen is the experiment as a plan for the record.
func (l *loaded) frozen() record.Plan {
	return record.Plan{
		MPF: mpfVersion(), Experiment: *l.experiment, Cluster: string(l.cluster.Source),
		Treatments: l.design.Treatments(), Runs: l.design.Runs(),
	}
}

func (s *session) config() campaign.Config {
	s.surroundings.from(s.dir)
	s.tables = tables.NewPublisher(nil, tables.Options{MPF: mpfVersion(), GoOn: true, InDesign: s.holder, Manifest: s.surroundings.text})
	return campaign.Config{
		MPF: mpfVersion(), Durability: campaign.Durability(s.options.durability),
		Segments: newSegment, Tables: s.tables, Measured: s.measuredHere(),
	}
}

// holder returns what reports whether the design has the run of an attempt that
// was made under an earlier plan.
func (s *session) holder(record.Plan) tables.Holds { return holderOf(s.design) }

// measuredHere names the hosts that may be this machine.
func (s *session) measuredHere() (names []string) {
	for _, h := range s.cluster.Hosts {
		if h.Way != "ssh" {
			names = append(names, h.Name)
		}
	}
	return names
}

func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
