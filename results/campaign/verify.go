package campaign

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"

	"mpf/results/fsys"
	"mpf/results/journal"
	"mpf/results/record"
)

// A Verification is what came of comparing a campaign with its record.
type Verification struct {
	Frames   uint64
	Attempts int64
	Files    int64
	Bytes    int64
	Torn     int      // bytes at the journal's end that a crash cut off: no harm
	Stale    bool     // the journal has gone further than the manifest
	Problems []string // what is not as it was recorded
}

// Verify reads all that a campaign recorded and compares it: every frame of the
// journal, plans, inputs, the files of all attempts, and what the manifest
// lists if it is not stale. Tables are compared with the record by whoever
// knows their format.
func (c *Campaign) Verify() (*Verification, error) {
	v := &Verification{Frames: c.journal.Summary().N}
	var err error
	if v.Torn, err = journal.Verify(c.tree); err != nil {
		return nil, explain(c.dir, err)
	}
	check := checker{c, v}
	for _, input := range c.journal.Summary().Inputs {
		if err := check.file(input.Path, input); err != nil {
			return nil, explain(c.dir, err)
		}
	}
	if err := check.attempts(); err != nil {
		return nil, explain(c.dir, err)
	}
	return v, explain(c.dir, check.manifest())
}

// A checker compares files with their record.
type checker struct {
	campaign *Campaign
	*Verification
}

// file notes a file that is not what was recorded. Its error is one of reading.
func (v checker) file(name string, want record.File) error {
	got, err := hashFile(v.campaign.tree, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		v.problem("%s: missing", name)
		return nil
	case err != nil:
		return err
	case got.Size != want.Size:
		v.problem("%s: %d bytes, recorded %d", name, got.Size, want.Size)
	case got.SHA256 != want.SHA256:
		v.problem("%s: sha256 %s, recorded %s", name, got.SHA256, want.SHA256)
	}
	v.Files++
	v.Bytes += got.Size
	return nil
}

func (v checker) problem(format string, args ...any) {
	v.Problems = append(v.Problems, fmt.Sprintf(format, args...))
}

func (v checker) attempts() error {
	dropped := v.campaign.journal.Summary().Dropped != nil
	for a, err := range v.campaign.Attempts() {
		if err != nil {
			return err
		}
		v.Attempts++
		for _, f := range a.Files {
			if dropped && isSegment(f) {
				continue
			}
			if err := v.file(path.Join(attemptDir(a.Start.Run.ID, a.Start.Attempt), f.Path), f); err != nil {
				return err
			}
		}
	}
	return nil
}

// maxManifest bounds the size of a manifest that is read.
const maxManifest = 1 << 30

// manifest compares what only the manifest knows: the derived files.
func (v checker) manifest() error {
	text, err := fsys.ReadFile(v.campaign.tree, manifestName, maxManifest)
	if errors.Is(err, fs.ErrNotExist) {
		v.Stale = true
		return nil
	}
	if err != nil {
		return err
	}
	var m Manifest
	if err := json.Unmarshal(text, &m); err != nil {
		v.problem("%s: %v", manifestName, err)
		return nil
	}
	if v.Stale = m.LastFrame != v.Frames; v.Stale {
		return nil
	}
	for _, f := range m.Files {
		if path.Dir(f.Path) != "." && path.Dir(f.Path) != "journal" && path.Dir(f.Path) != "plan" {
			continue // compared with the journal already
		}
		if err := v.file(f.Path, record.File(f)); err != nil {
			return err
		}
	}
	return nil
}
