package campaign

import (
	"iter"
	"os"
	"path/filepath"
	"slices"

	"mpf/engine"
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
	config.lead = leadTo(dir, config.Durability)
	tree, err := makeTree(dir, config)
	if err != nil {
		return nil, err
	}
	c := &Campaign{dir: dir, tree: tree, config: config.withDefaults(), gate: gate.New()}
	if err := c.fillAdopted(plans, fill); err != nil {
		return nil, c.abandon(err)
	}
	c.publisher = startPublisher(c)
	return c, nil
}

func (c *Campaign) fillAdopted(plans []record.Plan, fill func(*Campaign) error) error {
	var err error
	if c.lock, err = lock.Take(c.tree, c.config.Clock.Now()); err != nil {
		return err
	}
	if err := c.beginAdopting(); err != nil {
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

// beginAdopting marks the campaign as one that is being made, and removes what an
// earlier making left. A campaign that is whole is never touched.
func (c *Campaign) beginAdopting() error {
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
