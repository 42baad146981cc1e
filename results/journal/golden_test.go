package journal

import (
	"bytes"
	"flag"
	"os"
	"testing"
	"time"

	"mpf/engine"
	"mpf/results/record"
)

var update = flag.Bool("update", false, "write golden files")

// TestFormat pins the bytes of a journal: campaigns that exist are read by
// every later version.
func TestFormat(t *testing.T) {
	const golden = "testdata/format.jsonl"
	got := formatExample(t)
	if *update {
		must(t, os.WriteFile(golden, got, 0o600))
	}
	want, err := os.ReadFile(golden)
	must(t, err)
	if !bytes.Equal(got, want) {
		t.Errorf("a journal is written as\n%swant\n%s", got, want)
	}
	tree := newTree(t)
	must(t, tree.Mkdir(Dir))
	overwrite(t, tree, segmentName(1), want)
	j := openTest(t, tree)
	if s := j.Summary(); s.Done != 1 || s.Closed == nil || len(s.Decisions) != 1 || j.Count()[engine.OK] != 1 {
		t.Errorf("the golden journal holds %+v", s)
	}
	must(t, j.Close())
}

// formatExample is a journal with an event of each kind.
func formatExample(t *testing.T) []byte {
	at := time.Date(2026, 11, 20, 18, 3, 11, 120_000_000, time.UTC)
	file := record.File{Path: "inputs/0001/iperf.star", Size: 6, SHA256: "d0fa9a34"}
	id, err := engine.ParseRunID("3f9c2a71d0e84b5c9a6f1e2d3c4b5a69")
	must(t, err)
	start := engine.Start{
		Run:     engine.Run{ID: id, Treatment: engine.Treatment{1, engine.Absent, 2}, Rank: 5, Replicate: 1, Block: 1, Position: 3},
		Attempt: 1, Nonce: "8e1f", Group: "all", Wall: at, Hosts: []engine.RoleHost{{Role: "client", Host: "node1", BootID: "7c2d"}},
	}
	events := []Event{
		&Opened{Format: Format, MPF: "1.0.0", Durability: "strict", Invocation: 1, Wall: at},
		&Planned{Plan: 1, File: "plan/0001.json", SHA256: "9b74c989", Reason: "new"},
		&Kept{File: file},
		&Started{Plan: 1, Invocation: 1, Start: start},
		&Ended{Run: id, Attempt: 1, Nonce: "8e1f", Files: []record.File{{Path: "stdout", Size: 12, SHA256: "a948904f"}}, Done: engine.Done{
			Status: engine.OK, Wall: at.Add(2 * time.Second), Seconds: 2, Gap: 0.25,
			Results: engine.Results{{Name: "goodput", Value: 9.41e9}, {Name: "retransmits", Value: int64(17)}, {Name: "note", Value: "a \"b\"\n"}, {Name: "none"}, {Name: "pair", Value: []engine.Value{true, 0.5}}},
			Steps: []engine.StepRecord{{Step: "measure", Role: "client", Host: "node1", Status: engine.OK, Start: at, Seconds: 2, Commands: []engine.CommandRecord{{
				Argv: []string{"iperf3", "-J"}, Start: at, Seconds: 1.9, Usage: engine.Usage{UserSeconds: 0.125, MaxRSS: 4096}, Stdout: engine.Slice{Kept: 12, Size: 12},
			}}}},
			Hosts:    []engine.HostRecord{{Host: "node1", Roles: []string{"client"}, BootID: "7c2d", Clock: engine.ClockOffset{Offset: -1500, Bound: 900}}},
			Warnings: []engine.Warning{{Code: "clock-offset", Text: "node1 is behind"}},
		}},
		&Fenced{Run: id, Attempt: 1, Host: "node1", Fenced: engine.Fenced{How: "swept", Killed: []string{"iperf3 (812)"}}},
		&Decided{Decision: engine.Decision{Rule: "until goodput", Treatment: engine.Treatment{1, engine.Absent, 2}, Rank: 5, Block: 1, Reason: "narrow enough"}},
		&Dropped{Table: record.File{Path: "samples.parquet", Size: 99, SHA256: "77aa", Rows: 4}},
		&Closed{Wall: at.Add(time.Minute), Complete: true},
	}
	var b []byte
	var crc uint32
	for i, event := range events {
		text, err := appendEvents(nil, []Event{event})
		must(t, err)
		b, crc, _ = appendFrame(b, uint64(i+1), crc, text)
	}
	return b
}
