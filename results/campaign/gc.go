package campaign

import (
	"errors"
	"io/fs"
	"path"
	"strings"

	"mpf/results/durable"
	"mpf/results/journal"
	"mpf/results/record"
)

// Garbage is what Gc removed.
type Garbage struct {
	Files int64
	Bytes int64
}

// Gc removes what nothing refers to: bytes that recovery cut off and
// folders of attempts that were started again. If samples is not nil,
// it is the table of all samples, verified by the caller: the segments that it
// was made of are removed too, and the campaign takes no run any more.
func (c *Campaign) Gc(samples *record.File) (*Garbage, error) {
	g := collector{campaign: c}
	c.complete = c.complete || c.closed != nil && c.closed.Complete // nothing is added
	if samples != nil {
		if err := c.mayDrop(*samples); err != nil {
			return nil, err
		}
		if err := c.commit(&journal.Dropped{Table: *samples}); err != nil {
			return nil, err
		}
	}
	g.segments = c.journal.Summary().Dropped != nil
	err := g.journal()
	if err == nil {
		err = g.attempts()
	}
	if err != nil {
		return nil, c.fail(err)
	}
	return &g.Garbage, nil
}

// mayDrop wants a campaign that is done and a table that is what it was.
func (c *Campaign) mayDrop(samples record.File) error {
	refuse := func(what string) error {
		return &RefusedError{Dir: c.dir, What: what, Todo: "finish it first with: mpf run"}
	}
	if len(c.journal.Unfinished()) > 0 {
		return refuse("it has runs without an end, so its samples cannot be dropped")
	}
	if closed := c.closed; closed == nil || !closed.Complete {
		return refuse("it is not complete, so its samples cannot be dropped")
	}
	got, err := durable.Hash(c.tree, samples.Path)
	if err != nil {
		return explain(c.dir, err)
	}
	if got.Size != samples.Size || got.SHA256 != samples.SHA256 {
		return refuse(samples.Path + " is not what was verified")
	}
	c.complete = true
	return nil
}

// A collector removes files.
type collector struct {
	Garbage
	campaign *Campaign
	segments bool // sample segments too
}

func (g *collector) remove(name string) error {
	files, bytes, err := durable.Remove(g.campaign.tree, name)
	g.Files, g.Bytes = g.Files+files, g.Bytes+bytes
	return err
}

func (g *collector) journal() error {
	entries, err := g.campaign.tree.ReadDir(journal.Dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !strings.Contains(e.Name(), ".torn-") {
			continue
		}
		if err := g.remove(path.Join(journal.Dir, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

func (g *collector) attempts() error {
	for left, err := range g.campaign.left() {
		if err != nil {
			return err
		}
		dir := attemptDir(left.Run, left.Attempt)
		for _, f := range left.Files {
			if !g.segments || !record.IsSegment(f.Path) {
				continue
			}
			if err := g.remove(path.Join(dir, f.Path)); err != nil {
				return err
			}
		}
		if err := g.superseded(path.Dir(dir)); err != nil {
			return err
		}
	}
	return nil
}

// superseded removes the folders of a run that no attempt has.
func (g *collector) superseded(dir string) error {
	entries, err := g.campaign.tree.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		if strings.Contains(e.Name(), supersededMark) {
			if err := g.remove(path.Join(dir, e.Name())); err != nil {
				return err
			}
		}
	}
	return err
}
