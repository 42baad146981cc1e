package inspect

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"

	"mpf/results/campaign"
	"mpf/results/durable"
	"mpf/results/fsys"
	"mpf/results/journal"
	"mpf/results/manifest"
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
func Verify(c *campaign.Campaign) (*Verification, error) {
	v := &Verification{Frames: c.Summary().N}
	var err error
	if v.Torn, err = journal.Verify(c.Tree()); err != nil {
		return nil, c.Explain(err)
	}
	check := checker{c, v}
	for _, input := range c.Summary().Inputs {
		if err := check.file(input.Path, input); err != nil {
			return nil, c.Explain(err)
		}
	}
	if err := check.attempts(); err != nil {
		return nil, c.Explain(err)
	}
	return v, c.Explain(check.manifest())
}

// A checker compares files with their record.
type checker struct {
	campaign *campaign.Campaign
	*Verification
}

// file notes a file that is not what was recorded. Its error is one of reading.
func (v checker) file(name string, want record.File) error {
	got, err := durable.Hash(v.campaign.Tree(), name)
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
	dropped := v.campaign.Summary().Dropped != nil
	for a, err := range v.campaign.Attempts() {
		if err != nil {
			return err
		}
		v.Attempts++
		for _, f := range a.Files {
			if dropped && record.IsSegment(f.Path) {
				continue
			}
			if err := v.file(path.Join(v.campaign.AttemptDir(a.Start.Run.ID, a.Start.Attempt), f.Path), f); err != nil {
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
	text, err := fsys.ReadFile(v.campaign.Tree(), manifest.Name, maxManifest)
	if errors.Is(err, fs.ErrNotExist) {
		v.Stale = true
		return nil
	}
	if err != nil {
		return err
	}
	var m manifest.Manifest
	if err := json.Unmarshal(text, &m); err != nil {
		v.problem("%s: %v", manifest.Name, err)
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
