package campaign

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"mpf/engine"
	"mpf/results/drift"
	"mpf/results/durable"
	"mpf/results/fsys"
	"mpf/results/journal"
	"mpf/results/record"
)

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

// A merger knows from which campaign each run is taken.
type merger struct {
	choice    map[engine.RunID]chosen
	conflicts []Conflict
}

// chosen is the row of a run: its attempt is told by its nonce.
type chosen struct {
	from  int
	nonce string
}

// choose decides for each run. It holds one row a run in memory, and two
// attempts where there is a conflict.
func choose(from []*Campaign, keep Keep) (*merger, error) {
	m := &merger{choice: map[engine.RunID]chosen{}}
	for i, c := range from {
		rows := map[engine.RunID]chosen{}
		for a, err := range c.Attempts() {
			if err != nil {
				return nil, err
			}
			rows[a.Start.Run.ID] = chosen{i, a.Start.Nonce}
		}
		if err := m.add(from, rows, keep); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// add takes the rows of one more campaign.
func (m *merger) add(from []*Campaign, rows map[engine.RunID]chosen, keep Keep) error {
	for run, second := range rows {
		first, ok := m.choice[run]
		if ok && first.nonce == second.nonce {
			continue
		}
		if !ok {
			m.choice[run] = second
			continue
		}
		m.conflicts = append(m.conflicts, Conflict{run.String(), [2]string{from[first.from].dir, from[second.from].dir}})
		if keep == nil {
			continue
		}
		a, err := from[first.from].row(run)
		if err != nil {
			return err
		}
		b, err := from[second.from].row(run)
		if err != nil {
			return err
		}
		if keep(a, b) {
			m.choice[run] = second
		}
	}
	slices.SortFunc(m.conflicts, func(a, b Conflict) int { return strings.Compare(a.Run, b.Run) })
	return nil
}

// row returns the attempt that makes the row of a run, without its start.
func (c *Campaign) row(run engine.RunID) (*record.Attempt, error) {
	ended, err := c.journal.Row(run)
	if err == nil && ended == nil {
		err = errors.New("run " + run.String() + " has no row")
	}
	if err == nil {
		err = c.unspill(ended)
	}
	if err != nil {
		return nil, explain(c.dir, err)
	}
	return &record.Attempt{Start: engine.Start{Run: engine.Run{ID: run}, Attempt: ended.Attempt, Nonce: ended.Nonce}, Done: ended.Done, Files: ended.Files}, nil
}

// fill copies what was chosen, in the order of the campaigns.
func (m *merger) fill(to *Campaign, from []*Campaign) error {
	for i, c := range from {
		if err := to.copyInputs(c); err != nil {
			return err
		}
		for _, d := range c.Summary().Decisions {
			if err := to.commit(&journal.Decided{Decision: d}); err != nil {
				return err
			}
		}
		events := eventsOf(func(yield func(*record.Attempt, error) bool) {
			for a, err := range c.Attempts() {
				if err == nil && m.choice[a.Start.Run.ID].from != i {
					continue
				}
				if err == nil {
					err = to.copyFiles(c, a)
				}
				if !yield(a, err) || err != nil {
					return
				}
			}
		})
		if err := to.journal.CommitAll(events, to.shorten); err != nil {
			return err
		}
	}
	return nil
}

// copyInputs copies the inputs whose names are not taken.
func (c *Campaign) copyInputs(from *Campaign) error {
	for _, input := range from.Summary().Inputs {
		taken := slices.ContainsFunc(c.Summary().Inputs, func(f record.File) bool { return f.Path == input.Path })
		if taken {
			continue
		}
		if err := fsys.MakeDir(c.tree, path.Dir(input.Path)); err != nil {
			return err
		}
		if err := durable.Copy(c.tree, input.Path, from.tree, input.Path); err != nil {
			return err
		}
		if err := c.commit(&journal.Kept{File: input}); err != nil {
			return err
		}
	}
	return nil
}

// copyFiles copies the files of an attempt to their final place. Each must be
// what was recorded.
func (c *Campaign) copyFiles(from *Campaign, made *record.Attempt) error {
	if from.Summary().Dropped != nil {
		made.Files = slices.DeleteFunc(made.Files, func(f record.File) bool { return record.IsSegment(f.Path) })
	}
	if len(made.Files) == 0 {
		return nil
	}
	a := &attempt{campaign: c, start: made.Start, made: true}
	rows := map[string]int64{}
	for _, f := range made.Files {
		name := path.Join(a.temp(), f.Path)
		if err := fsys.MakeDir(c.tree, path.Dir(name)); err != nil {
			return err
		}
		if err := durable.Copy(c.tree, name, from.tree, path.Join(a.final(), f.Path)); err != nil {
			return err
		}
		rows[f.Path] = f.Rows
	}
	kept, err := a.keep(rows)
	if err != nil {
		return err
	}
	for i, f := range sortedFiles(made.Files) {
		if kept[i] != f {
			return &journal.Damage{File: path.Join(from.dir, a.final(), f.Path), What: "the file is not what was recorded"}
		}
	}
	return nil
}

// sortedFiles orders files as keep does.
func sortedFiles(files []record.File) []record.File {
	return slices.SortedFunc(slices.Values(files), func(a, b record.File) int {
		return slices.Compare(strings.Split(a.Path, "/"), strings.Split(b.Path, "/"))
	})
}
