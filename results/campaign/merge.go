package campaign

import (
	"errors"
	"path"
	"slices"
	"strings"

	"mpf/engine"
	"mpf/results/durable"
	"mpf/results/fsys"
	"mpf/results/journal"
	"mpf/results/record"
)

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
	slices.SortFunc(m.conflicts, func(a, b Conflict) int { return slices.Compare([]byte(a.Run), []byte(b.Run)) })
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
