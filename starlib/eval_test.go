package starlib

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mpf/engine"
	"mpf/starlib/analyse"
)

// evaluated executes an analysis over a table of three rows.
func evaluated(t *testing.T, text string) (*analyse.Session, error) {
	t.Helper()
	cells := [][]engine.Value{{"a", int64(1), 0.5}, {"b", int64(2), nil}, {"a", nil, math.NaN()}}
	s := &analyse.Session{
		Read: func(dir, table string) (analyse.Rows, error) {
			if table != "runs" {
				return analyse.Rows{}, errors.New("no " + table)
			}
			return analyse.Rows{Names: []string{"name", "n", "x"}, Len: len(cells), At: func(r, c int) engine.Value { return cells[r][c] }}, nil
		},
		Describe: func(values []float64, confidence float64) []analyse.Statistic {
			return []analyse.Statistic{{Name: "sum", Value: sumOf(values)}, {Name: "none", Value: math.NaN()}}
		},
	}
	path := filepath.Join(t.TempDir(), "a.star")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return s, Evaluate(t.Context(), path, s, Options{})
}

func sumOf(values []float64) (sum float64) {
	for _, x := range values {
		sum += x
	}
	return sum
}

func TestAnAnalysisReadsRowsAndMakesTables(t *testing.T) {
	s, err := evaluated(t, `
rows = results("d")
d = describe([r.n for r in rows])
check(d.sum == 3.0 and d.none == None and d.n == 2, "statistics")
check(describe([r["x"] for r in rows]).n == 1, "nan and None are left out")
check("name" in rows[0] and rows[1].x == None, "cells")
check(dict(rows[0])["n"] == 1, "a row is a mapping")
table("t", [{"k": r.name, "v": r.n} for r in rows] + [{"k": "z", "late": True}])
table("same", rows[:2])
`)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range s.Checks {
		if !c.OK {
			t.Errorf("%v: %s", c.Pos, c.Text)
		}
	}
	if got := s.Tables[0]; strings.Join(got.Columns, " ") != "k v late" || got.Rows[3][2] != true || got.Rows[0][2] != nil || got.Rows[1][1] != int64(2) {
		t.Errorf("table %+v", got)
	}
	if got := s.Tables[1]; len(got.Rows) != 2 || got.Rows[0][2] != 0.5 {
		t.Errorf("table %+v", got)
	}
}

func TestMistakesOfAnalyses(t *testing.T) {
	for text, want := range map[string]string{
		"results(table = \"x\")":             "a.star:1:8: results: no x",
		"results()[0].nam":                   `row: no column "nam" (did you mean "name"?)`,
		"table(\"t\", [1])":                  `table "t": row 1: got int, want a dict of column -> value`,
		"table(\"t\", [{\"a\": {}}])":        `table "t": row 1: column "a": got dict, want`,
		"table(\"t\", [])\ntable(\"t\", [])": `a.star:2:6: table "t": the name is taken or empty`,
		"describe([\"a\"])":                  "describe: item 0: got string, want a number or None",
		"describe([], confidence = 2.0)":     "is not between 0 and 1",
		"check(True, \"\")":                  "check: the text is empty",
		"experiment(\"x\")":                  "a.star:1:1: undefined: experiment",
		"results()[0][\"nam\"]":              `key "nam" not in row`,
	} {
		if _, err := evaluated(t, text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
