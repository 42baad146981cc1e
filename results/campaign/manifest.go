package campaign

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"path"

	"mpf/results/fsys"
	"mpf/results/record"
)

const manifestName = "manifest.json"

// A Manifest says what a campaign was when an invocation ended. Where its
// journal has gone further it is stale, not wrong.
type Manifest struct {
	MPF        string          `json:"mpf"`
	Experiment string          `json:"experiment"`
	Seed       int64           `json:"seed"`
	Plan       int             `json:"plan"`
	PlanSHA256 string          `json:"plan_sha256"`
	Durability Durability      `json:"durability"`
	LastFrame  uint64          `json:"last_frame"`
	Complete   bool            `json:"complete"`
	Files      []ManifestEntry `json:"files"`
}

// A ManifestEntry is a file of the campaign.
type ManifestEntry struct {
	Path   string `json:"path"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
	Rows   int64  `json:"rows,omitempty"`
}

// writeManifest writes the manifest after everything that it lists. The list is
// streamed: a campaign may have millions of files.
func (c *Campaign) writeManifest(tables []record.File) error {
	plan := c.Plan()
	head := Manifest{
		MPF: c.config.MPF, Experiment: plan.Experiment.Name, Seed: plan.Experiment.Seed,
		Plan: plan.Number, PlanSHA256: plan.SHA256, Durability: c.config.Durability,
		LastFrame: c.journal.Summary().N, Complete: c.complete, Files: []ManifestEntry{},
	}
	return fsys.Replace(c.tree, manifestName, func(w io.Writer) error {
		out := &manifestWriter{w: bufio.NewWriter(w)}
		out.begin(head)
		if err := c.manifestFiles(tables, out.add); err != nil {
			return err
		}
		return out.end()
	})
}

// manifestFiles lists what the campaign holds: hashes of the files of attempts
// are those of the journal, the others are computed.
func (c *Campaign) manifestFiles(tables []record.File, add func(ManifestEntry)) error {
	for _, dir := range []string{"plan", "inputs", "setup", "journal"} {
		if err := c.hashFolder(dir, add); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	for a, err := range c.Attempts() {
		if err != nil {
			return err
		}
		for _, f := range a.Files {
			f.Path = path.Join(attemptDir(a.Start.Run.ID, a.Start.Attempt), f.Path)
			add(ManifestEntry(f))
		}
	}
	for _, f := range tables {
		add(ManifestEntry(f))
	}
	return nil
}

func (c *Campaign) hashFolder(dir string, add func(ManifestEntry)) error {
	entries, err := c.tree.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := path.Join(dir, e.Name())
		if e.IsDir() {
			if err := c.hashFolder(name, add); err != nil {
				return err
			}
			continue
		}
		file, err := hashFile(c.tree, name)
		if err != nil {
			return err
		}
		file.Path = name
		add(ManifestEntry(file))
	}
	return nil
}

// A manifestWriter writes a Manifest entry by entry. Its first error sticks.
type manifestWriter struct {
	w     *bufio.Writer
	count int
	err   error
}

func (m *manifestWriter) write(b []byte) {
	if m.err == nil {
		_, m.err = m.w.Write(b)
	}
}

// begin writes all but the files, which are the last field.
func (m *manifestWriter) begin(head Manifest) {
	text, err := json.MarshalIndent(head, "", "  ")
	if err != nil {
		m.err = err
		return
	}
	m.write(text[:len(text)-len("]\n}")])
}

func (m *manifestWriter) add(e ManifestEntry) {
	text, err := json.Marshal(e)
	if err != nil {
		m.err = err
		return
	}
	if m.count++; m.count > 1 {
		m.write([]byte(","))
	}
	m.write(append([]byte("\n    "), text...))
}

func (m *manifestWriter) end() error {
	m.write([]byte("\n  ]\n}\n"))
	if m.err != nil {
		return m.err
	}
	return m.w.Flush()
}
