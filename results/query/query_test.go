package query

import (
	"bytes"
	"encoding/json"
	"flag"
	"path/filepath"
	"strings"
	"testing"

	"mpf/engine"
	"mpf/engine/enginetest"
	"mpf/results/columns"
)

var update = flag.Bool("update", false, "write the golden files anew")

// iperf has seven runs of two treatments and one that failed.
func iperf() columns.Frame {
	cols := []columns.Column{
		{Name: "run_id", Type: columns.String, Role: columns.Identity},
		{Name: "status", Type: columns.String, Role: columns.Outcome},
		{Name: "cause", Type: columns.String, Role: columns.Outcome},
		{Name: "message", Type: columns.String, Role: columns.Outcome},
		{Name: "failed_step", Type: columns.String, Role: columns.Outcome},
		{Name: "failed_host", Type: columns.String, Role: columns.Outcome},
		{Name: "orphaned", Type: columns.Bool, Role: columns.Outcome},
		{Name: "variant", Type: columns.String, Role: columns.Variable, Levels: []columns.Level{{Label: "tcp", Value: "tcp"}, {Label: "mptcp", Value: "mptcp"}}},
		{Name: "parallel", Type: columns.Int, Role: columns.Variable},
		{Name: "goodput", Type: columns.Float, Role: columns.Result, Unit: "bit/s"},
		{Name: "latency", Type: columns.Float, Role: columns.Result, Unit: "s"},
	}
	var rows [][]engine.Value
	for i := range 7 {
		x := float64(i)
		rows = append(rows,
			[]engine.Value{"a" + string(rune('0'+i)), "ok", nil, nil, nil, nil, false, "mptcp", int64(1), 1.8e9 + x*1e6, 0.002 + x/1e5},
			[]engine.Value{"b" + string(rune('0'+i)), "ok", nil, nil, nil, nil, false, "tcp", int64(1), 9.4e8 + x*1e6, 0.001 + x/1e5})
	}
	rows = append(rows,
		[]engine.Value{"c0", "failed", "exit", "iperf3: exit status 1 after 17 s", "measure", "node1", false, "tcp", int64(1), nil, nil},
		[]engine.Value{"c1", "failed", "exit", "iperf3: exit status 1 after 23 s", "measure", "node2", false, "tcp", int64(1), nil, nil},
		[]engine.Value{"c2", "timeout", "step", "no end after 10 s", "measure", "node2", false, "tcp", int64(1), nil, nil},
		[]engine.Value{"c3", "ok", nil, nil, nil, nil, true, "tcp", int64(16), 1.0, 1.0})
	return columns.FrameOf(cols, rows...)
}

func TestSummariesAreGolden(t *testing.T) {
	var b bytes.Buffer
	for _, c := range []struct {
		title string
		o     Options
		width int
	}{
		{"plain", Options{}, 0},
		{"narrow", Options{}, 40},
		{"mean and tail, best first", Options{Stats: []string{"n", "mean", "p99", "ci"}, Results: []string{"goodput"}, Sort: []string{"-goodput"}}, 80},
		{"an interval alone", Options{Stats: []string{"ci"}, Results: []string{"latency"}}, 80},
		{"put together", Options{By: []string{"parallel"}, Results: []string{"goodput"}}, 80},
	} {
		s, err := Summarize(iperf(), c.o)
		if err != nil {
			t.Fatal(err)
		}
		b.WriteString("== " + c.title + "\n")
		if err := s.Render(&b, c.width); err != nil {
			t.Fatal(err)
		}
	}
	enginetest.Golden(t, filepath.Join("testdata", "summary.golden"), b.String(), *update)
}

func TestSummaryForPrograms(t *testing.T) {
	s, err := Summarize(iperf(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := s.WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	if !json.Valid(b.Bytes()) {
		t.Error("not JSON")
	}
	enginetest.Golden(t, filepath.Join("testdata", "summary.json.golden"), b.String(), *update)
}

func TestFailuresAreGroupedByCause(t *testing.T) {
	list := Failures(iperf())
	if len(list) != 2 || len(list[0].Runs) != 2 || len(list[0].Hosts) != 2 || list[1].Status != "timeout" {
		t.Fatalf("%+v", list)
	}
	var b bytes.Buffer
	if err := RenderFailures(&b, list); err != nil {
		t.Fatal(err)
	}
	enginetest.Golden(t, filepath.Join("testdata", "failures.golden"), b.String(), *update)
}

func TestConditions(t *testing.T) {
	for _, c := range []struct {
		conditions string
		want       int
	}{
		{"variant=tcp", 11}, {"variant!=tcp", 7}, {"variant=tcp,mptcp", 18}, {"goodput>=1.8e9", 7}, {"goodput<2", 1},
		{"goodput=null", 3}, {"status!=ok", 3}, {"message~status 1", 2}, {"message!~status", 16}, {"orphaned=true", 1},
		{"status=ok variant=tcp parallel=1", 7}, {"parallel=1.0", 17},
	} {
		var list []Condition
		for _, text := range strings.Fields(strings.ReplaceAll(c.conditions, "status 1", `status\s1`)) {
			condition, err := ParseCondition(text)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, condition)
		}
		f, err := Where(iperf(), list)
		if err != nil || f.Len() != c.want {
			t.Errorf("%s: %d rows, %v; want %d", c.conditions, f.Len(), err, c.want)
		}
	}
}

func TestMistakesAreNamed(t *testing.T) {
	for _, c := range []struct{ have, want string }{
		{mistake(ParseCondition("parallel")), `condition "parallel": has no comparison (write it like parallel=4, goodput>1e9 or message~refused)`},
		{mistake(ParseCondition("parallel>x")), `condition "parallel>x": "x" is not a number`},
		{mistake(Summarize(iperf(), Options{By: []string{"varient"}})), `column "varient": there is none (did you mean "variant"?)`},
		{mistake(Summarize(iperf(), Options{Stats: []string{"p101"}})), `statistic "p101": there is none (use n, mean, median, ci, sd, min, max or pNN such as p99)`},
		{mistake(Summarize(iperf(), Options{Results: []string{"variant"}})), `column "variant": holds string, a summary needs numbers`},
		{mistake(Summarize(iperf(), Options{Sort: []string{"nope"}})), `sort by "nope": the summary has no such column`},
		{mistake(Choose(iperf(), []string{"qqqqqqqq"})), `column "qqqqqqqq": there is none`},
	} {
		if c.have != c.want {
			t.Errorf("%s\nwant %s", c.have, c.want)
		}
	}
}

func mistake[T any](_ T, err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestRowsAreChosenAndSorted(t *testing.T) {
	f, err := Sort(iperf(), []string{"variant", "-goodput"})
	if err != nil {
		t.Fatal(err)
	}
	if f, err = Choose(f, []string{"run_id", "goodput"}); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := RenderRows(&b, f.Pick([]int{0, 1, 17})); err != nil {
		t.Fatal(err)
	}
	enginetest.Golden(t, filepath.Join("testdata", "rows.golden"), b.String(), *update)
}

func TestNothingIsSummarizedWithoutPanic(t *testing.T) {
	s, err := Summarize(columns.Frame{}, Options{})
	if err != nil || len(s.Groups) != 0 {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestTextStaysWithinItsCell(t *testing.T) {
	cols := []columns.Column{{Name: "text", Type: columns.String}, {Name: "n", Type: columns.Int}}
	f := columns.FrameOf(cols, []engine.Value{"new\nline", int64(1)}, []engine.Value{"\x1b[31m", int64(2)}, []engine.Value{"", int64(3)},
		[]engine.Value{nil, int64(4)}, []engine.Value{"-", int64(5)}, []engine.Value{"c=d,e", int64(6)})
	var out bytes.Buffer
	if err := RenderRows(&out, f); err != nil {
		t.Fatal(err)
	}
	want := "text         n\n\"new\\nline\"  1\n\"\\x1b[31m\"   2\n\"\"           3\n-            4\n\"-\"          5\nc=d,e        6\n"
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
	c, err := ParseCondition("text=c=d,e")
	if err != nil {
		t.Fatal(err)
	}
	if found, err := Where(f, []Condition{c}); err != nil || found.Len() != 1 {
		t.Errorf("%d rows have the text with a comma: %v", found.Len(), err)
	}
}
