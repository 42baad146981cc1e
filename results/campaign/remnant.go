package campaign

import (
	"errors"
	"io/fs"
	"net/url"
	"path"
	"strings"

	"mpf/engine"
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
func (c *Campaign) Remnants() ([]Remnant, error) {
	var found []Remnant
	for a, err := range c.Attempts() {
		if err != nil {
			return nil, err
		}
		for _, f := range a.Files {
			if !strings.HasSuffix(f.Path, partial) || !isSegment(f) {
				continue
			}
			if err := c.wantRecorded(path.Join(attemptDir(a.Start.Run.ID, a.Start.Attempt), f.Path), f); err != nil {
				return nil, explain(c.dir, err)
			}
			found = append(found, remnant(a.Start, attemptDir(a.Start.Run.ID, a.Start.Attempt), f.Path))
		}
	}
	for _, started := range c.journal.Unfinished() {
		dir := path.Join(fsys.TempDir, started.Start.Nonce)
		entries, err := c.tree.ReadDir(dir)
		if errors.Is(err, fs.ErrNotExist) {
			continue // it has left no file yet, or ends at this moment
		}
		if err != nil {
			return nil, explain(c.dir, err)
		}
		for _, e := range entries {
			if strings.HasPrefix(e.Name(), segmentPrefix) {
				found = append(found, remnant(started.Start, dir, e.Name()))
			}
		}
	}
	return found, nil
}

func remnant(s engine.Start, dir, name string) Remnant {
	host := strings.TrimPrefix(strings.TrimSuffix(strings.TrimSuffix(name, partial), segmentSuffix), segmentPrefix)
	if plain, err := url.PathUnescape(host); err == nil {
		host = plain
	}
	return Remnant{Start: s, Host: host, Path: path.Join(dir, name)}
}

// wantRecorded wants a file to be what was recorded.
func (c *Campaign) wantRecorded(name string, want record.File) error {
	got, err := hashFile(c.tree, name)
	if err == nil && (got.Size != want.Size || got.SHA256 != want.SHA256) {
		err = &journal.Damage{File: name, What: "the file is not what was recorded"}
	}
	return err
}
