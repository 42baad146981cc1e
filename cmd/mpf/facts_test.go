package main

import (
	"slices"
	"testing"
)

func TestFactsThatDifferAreNamedAndPassingOnesAreNot(t *testing.T) {
	before := map[string]any{"kernel": "6.1.0", "load_1": 0.1, "governor": "performance", "cpu_threads": 8.0}
	now := map[string]any{"kernel": "6.1.2", "load_1": 3.0, "cpu_threads": 8.0}
	want := []string{`governor was "performance", now unknown`, `kernel was "6.1.0", now "6.1.2"`}
	if got := factChanges(before, now); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := factChanges(nil, now); got != nil {
		t.Errorf("a new host: got %q", got)
	}
}
