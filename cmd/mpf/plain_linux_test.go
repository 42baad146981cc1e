package main

import (
	"fmt"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"mpf/engine"
	"mpf/results/campaign"
	"mpf/results/fsys"
	"mpf/results/record"
	"mpf/results/tables"
)

// plainTable derives a table from the campaign with all that only says when and
// how often something was tried set equal, and returns its bytes.
func (o *ordeal) plainTable(name string) []byte {
	o.Helper()
	dir := o.TempDir()
	if err := os.Mkdir(filepath.Join(dir, fsys.TempDir), 0o700); err != nil {
		o.Fatal(err)
	}
	tree, err := fsys.OpenDir(dir)
	if err != nil {
		o.Fatal(err)
	}
	defer tree.Close()
	if _, err := tables.Publish(o.Context(), plainRecord{o.read()}, tree, tables.Options{MPF: "test"}); err != nil {
		o.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		o.Fatal(err)
	}
	return text
}

// A plainRecord is a record in which each run ended at its first attempt, in the
// order of the design and in no time.
type plainRecord struct{ *campaign.Campaign }

func (p plainRecord) Attempts() iter.Seq2[*record.Attempt, error] {
	return func(yield func(*record.Attempt, error) bool) {
		rows := map[int64]*record.Attempt{}
		for a, err := range p.Campaign.Attempts() {
			if err != nil {
				yield(nil, err)
				return
			}
			if a.Done.Status != engine.OK {
				continue
			}
			position := a.Start.Run.Position
			if rows[position] != nil {
				yield(nil, fmt.Errorf("run %s is ok twice", a.Start.Run.ID))
				return
			}
			rows[position] = plain(a)
		}
		for _, position := range slices.Sorted(maps.Keys(rows)) {
			if !yield(rows[position], nil) {
				return
			}
		}
	}
}

func plain(a *record.Attempt) *record.Attempt {
	start, done := a.Start, a.Done
	start.Attempt, start.Nonce, start.Wall = 1, "", time.Time{}
	for i := range start.Hosts {
		start.Hosts[i].BootID = ""
	}
	done.Wall, done.Seconds, done.Gap = time.Time{}, 0, 0
	done.Steps, done.Hosts, done.Warnings = nil, nil, nil
	return &record.Attempt{Sequence: start.Run.Position + 1, Plan: a.Plan, Invocation: 1, Start: start, Done: done}
}
