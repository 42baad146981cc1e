package inspect

import (
	"errors"
	"io/fs"
	"path"
	"strings"

	"mpf/engine"
	"mpf/results/campaign"
	"mpf/results/durable"
	"mpf/results/fsys"
	"mpf/results/journal"
	"mpf/results/record"
)

// A Remnant is a sample segment without an end: its attempt is open, or was
// abandoned when its engine had died.
type Remnant struct {
	Start engine.Start
	Host  string
	Path  string // in the campaign's directory
}

// Remnants lists the sample segments without an end, those of closed attempts
// first. One that is not what was recorded is damage.
func Remnants(c *campaign.Campaign) ([]Remnant, error) {
	var found []Remnant
	for a, err := range c.Attempts() {
		if err != nil {
			return nil, err
		}
		dir := c.AttemptDir(a.Start.Run.ID, a.Start.Attempt)
		for _, f := range a.Files {
			if !strings.HasSuffix(f.Path, record.Partial) || !record.IsSegment(f.Path) {
				continue
			}
			if err := wantRecorded(c.Tree(), path.Join(dir, f.Path), f); err != nil {
				return nil, c.Explain(err)
			}
			found = append(found, remnant(a.Start, dir, f.Path))
		}
	}
	for _, start := range c.Running() {
		open, err := openRemnants(c.Tree(), start)
		if err != nil {
			return nil, c.Explain(err)
		}
		found = append(found, open...)
	}
	return found, nil
}

// openRemnants lists the segments of an attempt that is open. It may have left no
// file yet, or end at this moment.
func openRemnants(tree fsys.FS, s engine.Start) (found []Remnant, err error) {
	dir := path.Join(fsys.TempDir, s.Nonce)
	entries, err := tree.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, e := range entries {
		if record.IsSegment(e.Name()) {
			found = append(found, remnant(s, dir, e.Name()))
		}
	}
	return found, nil
}

func remnant(s engine.Start, dir, name string) Remnant {
	return Remnant{Start: s, Host: record.SegmentHost(name), Path: path.Join(dir, name)}
}

// wantRecorded wants a file to be what was recorded.
func wantRecorded(tree fsys.FS, name string, want record.File) error {
	got, err := durable.Hash(tree, name)
	if err == nil && (got.Size != want.Size || got.SHA256 != want.SHA256) {
		err = &journal.Damage{File: name, What: "the file is not what was recorded"}
	}
	return err
}
