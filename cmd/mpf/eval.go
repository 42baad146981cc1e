package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mpf/cmd/mpf/amount"
	"mpf/engine"
	"mpf/results/columns"
	"mpf/results/export"
	"mpf/results/query"
	"mpf/results/stats"
	"mpf/starlib"
	"mpf/starlib/analyse"
)

// eval executes an analysis file: it reads results, makes tables and checks
// what is claimed.
func (p *program) eval(args []string) error {
	o := newOptions("eval FILE.star [DIR] [flags]\n\n" +
		"Executes an analysis file, which finds results, describe, table and check: mpf help results\n" +
		"says more of each. Its tables are printed; a check that does not hold makes the exit code 1.")
	to := o.String("to", "", "`form` of the tables: csv, json, jsonl, parquet or feather; else text")
	out := o.StringP("out", "o", "", "write each table into this `directory`, as csv unless --to says otherwise")
	if err := o.parse(p, args, 1, 2); err != nil {
		return err
	}
	if *to == "" && *out != "" {
		*to = string(export.CSV)
	}
	if *to != "" && !slices.Contains(export.Formats(), export.Format(*to)) {
		return &usageError{message: fmt.Sprintf("--to %q: is no form", *to), todo: "--to csv, json, jsonl, parquet or feather"}
	}
	if _, err := os.Stat(o.Arg(0)); err != nil {
		return unreadable(o.Arg(0), err, "name an analysis file: mpf help results, describe, table and check say what it may do")
	}
	s := &analyse.Session{Read: tableReader(o.Arg(1)), Describe: describeNumbers}
	err := starlib.Evaluate(p.ctx, o.Arg(0), s, starlib.Options{
		Print: func(_ engine.Pos, text string) { p.printed(text, *to != "") },
	})
	if err != nil {
		return err
	}
	for _, t := range s.Tables {
		if err := p.evaluated(t, export.Format(*to), *out); err != nil {
			return err
		}
	}
	return p.checked(s.Checks)
}

// printed is what the file prints: talk, where a program reads the tables.
func (p *program) printed(text string, forProgram bool) {
	if forProgram {
		p.say.talk("%s", text)
	} else {
		p.say.print("%s\n", text)
	}
}

// tableReader reads tables for an analysis; a campaign without a name is the
// one that the command line names, or the newest.
func tableReader(given string) func(dir, table string) (analyse.Rows, error) {
	return func(dir, table string) (analyse.Rows, error) {
		if dir == "" {
			dir = given
		}
		dir, err := campaignDir(dir)
		if err != nil {
			return analyse.Rows{}, err
		}
		frame, err := loadTable(dir, table+".parquet")
		if err != nil {
			return analyse.Rows{}, err
		}
		rows := analyse.Rows{Len: frame.Len(), At: func(row, column int) engine.Value {
			if t, ok := frame.Vectors[column].At(row).(time.Time); ok {
				return t.Format(time.RFC3339Nano)
			}
			return frame.Vectors[column].At(row)
		}}
		for _, c := range frame.Columns {
			rows.Names = append(rows.Names, c.Name)
		}
		return rows, nil
	}
}

func describeNumbers(values []float64, confidence float64) []analyse.Statistic {
	low, high, least, most := math.NaN(), math.NaN(), math.NaN(), math.NaN()
	if ci, ok := stats.MedianInterval(values, confidence); ok {
		low, high = ci.Low, ci.High
	}
	if len(values) > 0 {
		least, most = slices.Min(values), slices.Max(values)
	}
	return []analyse.Statistic{
		{Name: "mean", Value: stats.Mean(values)}, {Name: "sd", Value: stats.Deviation(values)}, {Name: "median", Value: stats.Median(values)},
		{Name: "low", Value: low}, {Name: "high", Value: high}, {Name: "min", Value: least}, {Name: "max", Value: most},
		{Name: "p99", Value: stats.Percentile(values, 99)},
	}
}

// evaluated prints a table that an analysis made, or writes it to a file.
func (p *program) evaluated(t analyse.Table, format export.Format, out string) error {
	frame := frameOf(t)
	if out != "" {
		if t.Name != filepath.Base(t.Name) || strings.HasPrefix(t.Name, ".") {
			return engine.Mistakes{{Pos: t.Pos, Message: fmt.Sprintf("table %q: the name is no file name", t.Name)}}
		}
		if err := os.MkdirAll(out, 0o777); err != nil {
			return err
		}
		return p.writeTable(frame, nil, format, filepath.Join(out, t.Name+"."+string(format)))
	}
	if format != "" {
		return export.Write(p.say.out, frame, format, nil)
	}
	p.say.print("%s\n", t.Name)
	return query.RenderRows(p.say.out, frame)
}

// frameOf gives each column the type that its values join to.
func frameOf(t analyse.Table) columns.Frame {
	var frame columns.Frame
	for i, name := range t.Columns {
		v := &columns.Vector{}
		for _, row := range t.Rows {
			v.Add(row[i])
		}
		var mix columns.Mix
		mix.Add(v, 0)
		c := columns.Column{Name: name, Role: columns.Result}
		c.Type, c.Mixed = mix.Type()
		frame.Columns = append(frame.Columns, c)
		frame.Vectors = append(frame.Vectors, columns.Convert(v, c.Type))
	}
	return frame
}

// checked says which claims do not hold.
func (p *program) checked(checks []analyse.Check) error {
	failed := 0
	for _, c := range checks {
		if !c.OK {
			failed++
			p.say.talk("%v: does not hold: %s", c.Pos, c.Text)
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d of %s failed", failed, amount.Count(len(checks), "check"))
	}
	if len(checks) > 0 {
		p.say.talk("%s passed", amount.Count(len(checks), "check"))
	}
	return nil
}
