// Package manifest is the form of manifest.json: what a campaign was when an
// invocation ended, and each of its files.
package manifest

import (
	"bufio"
	"encoding/json"
	"io"
)

// Name is the name of the file.
const Name = "manifest.json"

// A Manifest says what a campaign was when an invocation ended. Where its
// journal has gone further it is stale, not wrong.
type Manifest struct {
	MPF        string  `json:"mpf"`
	Experiment string  `json:"experiment"`
	Seed       int64   `json:"seed"`
	Plan       int     `json:"plan"`
	PlanSHA256 string  `json:"plan_sha256"`
	Durability string  `json:"durability"`
	LastFrame  uint64  `json:"last_frame"`
	Complete   bool    `json:"complete"`
	Files      []Entry `json:"files"`
}

// An Entry is a file of the campaign.
type Entry struct {
	Path   string `json:"path"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
	Rows   int64  `json:"rows,omitempty"`
}

// A Writer writes a Manifest entry by entry: a campaign may have millions of files. Its first error sticks.
type Writer struct {
	w     *bufio.Writer
	count int
	err   error
}

func (m *Writer) write(b []byte) {
	if m.err == nil {
		_, m.err = m.w.Write(b)
	}
}

// Begin begins a manifest: it writes all but the files, which are the last field.
func Begin(w io.Writer, head Manifest) *Writer {
	m := &Writer{w: bufio.NewWriter(w)}
	head.Files = []Entry{}
	text, err := json.MarshalIndent(head, "", "  ")
	if err != nil {
		m.err = err
		return m
	}
	m.write(text[:len(text)-len("]\n}")])
	return m
}

// Add adds a file.
func (m *Writer) Add(e Entry) {
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

// End ends the manifest.
func (m *Writer) End() error {
	m.write([]byte("\n  ]\n}\n"))
	if m.err != nil {
		return m.err
	}
	return m.w.Flush()
}
