package analyse

import (
	"go.starlark.net/starlark"

	"mpf/engine"
	"mpf/starlib/modules"
	"mpf/starlib/script"
)

// Rows is a table that an analysis reads.
type Rows struct {
	Names []string
	Len   int
	At    func(row, column int) engine.Value
}

// A Table is one that an analysis made.
type Table struct {
	Name    string
	Columns []string
	Rows    [][]engine.Value
	Pos     engine.Pos
}

// A Check is a claim of an analysis.
type Check struct {
	Text string
	OK   bool
	Pos  engine.Pos
}

// A Statistic is a number that describes others.
type Statistic struct {
	Name  string
	Value float64 // NaN where there is none
}

// A Session is one execution of an analysis file.
type Session struct {
	// Read gives the rows of a table of a campaign; an empty dir is the campaign
	// that the command line names.
	Read func(dir, table string) (Rows, error)

	// Describe gives the statistics of numbers.
	Describe func(values []float64, confidence float64) []Statistic

	Tables []Table
	Checks []Check
}

const anywhere = "in an analysis file only"

var (
	resultsDoc = script.Doc{
		Signature: `results(dir = None, table = "runs")`,
		Text:      "The rows of a campaign's table, in the order of its design, as a list: `row.goodput` or `row[\"goodput\"]` is a cell, None where there is none. `dir` is a campaign's directory or a table's file; without it the one that the command line names. Tables: runs, steps, usage, samples.",
		When:      anywhere, Checks: "the campaign has that table", Error: "`results: mpf-out/x/runs.parquet: no such file or directory`",
	}
	describeDoc = script.Doc{
		Signature: "describe(values, confidence = 0.95)",
		Text:      "Statistics of numbers, None left out: a struct of `n`, `mean`, `sd`, `median`, `low` and `high` (the interval of the median), `min`, `max`, `p99`; None where there are too few.",
		When:      anywhere, Checks: "values are numbers or None; confidence is between 0 and 1", Error: "`describe: item 3: got string, want a number or None`",
	}
	tableDoc = script.Doc{
		Signature: "table(name, rows)",
		Text:      "A table that the analysis makes, of dicts of column -> value or of rows of results; a column that some of them lack is null there. It is printed, or written where `mpf eval --out` says.",
		When:      anywhere, Checks: "values are None, bool, int, float, string or lists of these; each name is used once", Error: "`table \"speedup\": row 2: column \"x\": got dict, want None, bool, int, float, string or a list of these`",
	}
	checkDoc = script.Doc{
		Signature: "check(condition, text)",
		Text:      "A claim that the results must bear out. All are executed; one that does not hold is printed with its place and makes `mpf eval` end with exit code 1.",
		When:      anywhere, Checks: "the text says something", Error: "`check: the text is empty`",
	}
)

// Docs documents what an analysis file finds.
func Docs() []script.Doc { return []script.Doc{resultsDoc, describeDoc, tableDoc, checkDoc} }

// Predeclared are the names that the file finds.
func (s *Session) Predeclared() starlark.StringDict {
	names := modules.All()
	for _, b := range []struct {
		doc script.Doc
		do  script.Func
	}{{resultsDoc, s.results}, {describeDoc, s.describe}, {tableDoc, s.table}, {checkDoc, s.check}} {
		names[b.doc.Name()] = script.New(b.doc, b.do)
	}
	return names
}

func (s *Session) results(c *script.Call) (starlark.Value, error) {
	dir, table := "", "runs"
	if err := c.Unpack("dir??", &dir, "table?", &table); err != nil {
		return nil, err
	}
	rows, err := s.Read(dir, table)
	if err != nil {
		return nil, script.Problemf("results: %v", err)
	}
	source := newSource(rows)
	list := make([]starlark.Value, rows.Len)
	for i := range list {
		list[i] = &Row{source, i}
	}
	return starlark.NewList(list), nil
}

func (s *Session) check(c *script.Call) (starlark.Value, error) {
	var condition starlark.Value
	var text string
	if err := c.Unpack("condition", &condition, "text", &text); err != nil {
		return nil, err
	}
	if text == "" {
		return nil, script.Problemf("check: the text is empty").Mend("say what is claimed")
	}
	s.Checks = append(s.Checks, Check{text, bool(condition.Truth()), c.Pos()})
	return condition.Truth(), nil
}
