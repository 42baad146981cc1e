package campaign

import (
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mpf/engine"
	"mpf/results/drift"
	"mpf/results/fsys"
	"mpf/results/gate"
	"mpf/results/journal"
	"mpf/results/lock"
	"mpf/results/record"
)

// adoptingName marks a campaign that is being made of others. One that was cut
// short is made again from the start.
const adoptingName = "ADOPTING"

// NeedsRestore reports whether a directory holds no campaign, or half of one
// that was being restored, so that Restore can make one of its tables.
func NeedsRestore(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, adoptingName))
	return err == nil || !Begun(dir)
}

// Restore makes a campaign of a source, such as the only table that is left of
// one, in the same directory or in another. Its attempts keep their numbers;
// their files are not there any more.
func Restore(dir string, source record.Source, config Config) (*Campaign, error) {
	return adopt(dir, source.Plans(), config, func(c *Campaign) error {
		return c.journal.CommitAll(eventsOf(source.Attempts()), c.shorten)
	})
}

// shorten puts the end of an attempt into a file of its folder.
func (c *Campaign) shorten(event journal.Event) (journal.Event, error) {
	ended, ok := event.(*journal.Ended)
	if !ok {
		return nil, journal.ErrTooLong
	}
	whole := *ended
	whole.Files = slices.DeleteFunc(slices.Clone(ended.Files), func(f record.File) bool { return f.Path == spillName })
	a := &attempt{campaign: c, start: engine.Start{Run: engine.Run{ID: ended.Run}, Attempt: ended.Attempt}}
	return a.spill(&whole)
}

// eventsOf returns the events of attempts that were made elsewhere.
func eventsOf(attempts iter.Seq2[*record.Attempt, error]) iter.Seq2[journal.Event, error] {
	return func(yield func(journal.Event, error) bool) {
		for a, err := range attempts {
			if err != nil {
				yield(nil, err)
				return
			}
			started := &journal.Started{Plan: a.Plan, Invocation: a.Invocation, Start: a.Start, Adopted: true}
			ended := &journal.Ended{
				Run: a.Start.Run.ID, Attempt: a.Start.Attempt, Nonce: a.Start.Nonce, Done: a.Done, Files: a.Files,
			}
			if !yield(started, nil) || !yield(ended, nil) {
				return
			}
		}
	}
}

// adopt begins a campaign with plans made elsewhere and fills it.
func adopt(dir string, plans []record.Plan, config Config, fill func(*Campaign) error) (*Campaign, error) {
	if len(plans) == 0 {
		return nil, &RefusedError{Dir: dir, What: "no plan to begin with", Todo: "begin a campaign with: mpf run FILE"}
	}
	tree, err := makeTree(dir, config)
	if err != nil {
		return nil, err
	}
	c := &Campaign{dir: dir, tree: tree, config: config.withDefaults(), gate: gate.New()}
	if err := c.fillAdopted(plans, fill); err != nil {
		_ = c.release() // what led here matters more
		return nil, explain(dir, err)
	}
	c.publisher = startPublisher(c)
	return c, nil
}

func (c *Campaign) fillAdopted(plans []record.Plan, fill func(*Campaign) error) error {
	var err error
	if c.lock, err = lock.Take(c.tree, c.config.Clock.Now()); err != nil {
		return err
	}
	if err := c.mark(); err != nil {
		return err
	}
	if err := c.recover(); err != nil {
		return err
	}
	for _, plan := range plans {
		if err := c.addPlan(plan); err != nil {
			return err
		}
	}
	if err := fill(c); err != nil {
		return err
	}
	if err := c.tree.Remove(adoptingName); err != nil {
		return err
	}
	return c.tree.SyncDir(".")
}

// mark says that the campaign is being made, after removing what an earlier
// making left. A campaign that is whole is never touched.
func (c *Campaign) mark() error {
	_, marked := c.tree.Lstat(adoptingName)
	if _, err := c.tree.Lstat(planName(1)); err == nil && marked != nil {
		return &RefusedError{Dir: c.dir, What: "holds a campaign already", Todo: "name a directory that does not exist yet"}
	}
	if err := fsys.MakeDir(c.tree, fsys.TempDir); err != nil {
		return err
	}
	if err := fsys.WriteFile(c.tree, adoptingName, nil); err != nil {
		return err
	}
	for _, name := range []string{journal.Dir, "plan", "inputs", "runs"} {
		if err := fsys.RemoveTree(c.tree, name); err != nil {
			return err
		}
	}
	return nil
}

// A Conflict is a run that two campaigns made, each its own way.
type Conflict struct {
	Run  string
	Dirs [2]string
}

// A Keep chooses between the rows of a run from two campaigns: true for the
// second. Nil refuses.
type Keep func(first, second *record.Attempt) bool

// Merge makes a campaign of others that have the same plans, such as its
// shards. A run that is the same in several is taken once.
func Merge(dir string, from []*Campaign, keep Keep, config Config) (*Campaign, []Conflict, error) {
	if len(from) == 0 {
		return nil, nil, errors.New("nothing to merge")
	}
	if err := samePlans(dir, from); err != nil {
		return nil, nil, err
	}
	m, err := choose(from, keep)
	if err != nil {
		return nil, nil, err
	}
	if keep == nil && len(m.conflicts) > 0 {
		first := m.conflicts[0]
		return nil, m.conflicts, &RefusedError{
			Dir: dir, What: fmt.Sprintf("%d runs were made more than once, such as %s in %s and in %s", len(m.conflicts), first.Run, first.Dirs[0], first.Dirs[1]),
			Todo: "say which to keep with: mpf merge --keep first|last|ok",
		}
	}
	complete := !slices.ContainsFunc(from, func(c *Campaign) bool {
		closed := c.Summary().Closed
		return closed == nil || !closed.Complete
	})
	c, err := adopt(dir, from[0].Plans(), config, func(c *Campaign) error { return m.fill(c, from) })
	if err == nil && complete {
		c.Complete()
	}
	return c, m.conflicts, err
}

// samePlans wants all campaigns to have been made by equal plans.
func samePlans(dir string, from []*Campaign) error {
	first := from[0]
	for _, c := range from[1:] {
		refuse := func(what string) error {
			return &RefusedError{Dir: dir, What: fmt.Sprintf("%s and %s cannot be merged: %s", first.dir, c.dir, what), Todo: "merge campaigns of one plan only"}
		}
		if len(c.Plans()) != len(first.Plans()) {
			return refuse(fmt.Sprintf("%d plans and %d", len(first.Plans()), len(c.Plans())))
		}
		for i, plan := range c.Plans() {
			d := drift.Compare(first.Plans()[i].Experiment, plan.Experiment)
			if reasons := slices.Concat(d.Other, d.Script, d.Design); len(reasons) > 0 {
				return refuse(fmt.Sprintf("plan %d differs: %s", i+1, strings.Join(reasons, ", ")))
			}
		}
	}
	return nil
}
