package tables

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"mpf/engine"
	"mpf/results/columns"
	"mpf/results/fsys/fsystest"
)

// returning makes a campaign whose i-th run returns the i-th value as "x"; a
// run without a value returns nothing.
func returning(values ...any) *campaign {
	c := newCampaign(1 + len(values)/12)
	for i, a := range c.attempts {
		a.Done.Results = nil
		if i < len(values) && values[i] != (absent{}) {
			a.Done.Results = engine.Results{{Name: "x", Value: values[i]}}
		}
	}
	return c
}

type absent struct{}

func TestColumnsChangeTheirTypeWithoutLoss(t *testing.T) {
	for _, c := range []struct {
		name   string
		values []any
		typ    columns.Type
		mixed  bool
		want   []engine.Value
	}{
		{"late", []any{absent{}, absent{}, int64(3)}, columns.Int, false, []engine.Value{nil, nil, int64(3)}},
		{"int then float", []any{int64(1), 2.5}, columns.Float, false, []engine.Value{1.0, 2.5}},
		{"2^53", []any{int64(1 << 53), 2.5}, columns.Float, false, []engine.Value{float64(1 << 53), 2.5}},
		{"2^53+1", []any{int64(1<<53 + 1), 2.5}, columns.String, true, []engine.Value{"9007199254740993", "2.5"}},
		{"none and a value", []any{nil, true}, columns.Bool, false, []engine.Value{nil, true}},
		{"text and number", []any{"fast", int64(1), 1.0}, columns.String, true, []engine.Value{"fast", "1", "1.0"}},
		{"lists", []any{[]engine.Value{int64(1), 2.0, nil, "x"}}, columns.List, false, []engine.Value{[]engine.Value{int64(1), 2.0, nil, "x"}}},
		{"negative zero", []any{math.Copysign(0, -1), 0.0}, columns.Float, false, []engine.Value{math.Copysign(0, -1), 0.0}},
		{"not a number", []any{math.NaN(), int64(1)}, columns.Float, false, []engine.Value{math.NaN(), 1.0}},
		{"not a number and text", []any{math.NaN(), "x"}, columns.String, true, []engine.Value{"NaN", "x"}},
		{"infinity", []any{math.Inf(-1), int64(2)}, columns.Float, false, []engine.Value{math.Inf(-1), 2.0}},
		{"empty text", []any{"", absent{}}, columns.String, false, []engine.Value{"", nil}},
	} {
		tree, report := publish(t, returning(c.values...), Options{})
		f := load(t, tree, RunsFile)
		column := f.Columns[f.Find("x")]
		if column.Type != c.typ || column.Mixed != c.mixed || (len(report.Warnings) > 0) != c.mixed {
			t.Errorf("%s: %s, mixed %v, warnings %v", c.name, column.Type, column.Mixed, report.Warnings)
		}
		for i, want := range c.want {
			if have := cell(t, f, i, "x"); fmt.Sprintf("%#v", have) != fmt.Sprintf("%#v", want) { // tells -0 from 0, and NaN is NaN
				t.Errorf("%s: value %d is %#v, want %#v", c.name, i, have, want)
			}
		}
	}
}

// TestATypeThatChangesLateIsTheSameAsOneKnownAtOnce forces shards to be encoded
// before the type that breaks them comes.
func TestATypeThatChangesLateIsTheSameAsOneKnownAtOnce(t *testing.T) {
	values := make([]any, 2*rowsOfShard)
	for i := range values {
		values[i] = int64(i)
	}
	values[rowsOfShard/2] = 0.5
	values[len(values)-1] = "late"
	c := returning(values...)
	tree, report := publish(t, c, Options{})
	if len(report.Warnings) != 1 {
		t.Errorf("warnings %v", report.Warnings)
	}
	f := load(t, tree, RunsFile)
	for i, want := range map[int]string{0: "0", 7: "7", rowsOfShard / 2: "0.5", len(values) - 1: "late"} {
		if have := cell(t, f, i, "x"); have != want {
			t.Errorf("value %d is %#v, want %q", i, have, want)
		}
	}
}

// TestValuesOfEveryPlainTypeSurvive is random over types and values.
func TestValuesOfEveryPlainTypeSurvive(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 3))
	for range 20 {
		kind := r.IntN(5)
		values := make([]any, 24)
		for i := range values {
			switch kind {
			case 0:
				values[i] = r.Int64() - r.Int64()
			case 1:
				values[i] = math.Float64frombits(r.Uint64())
			case 2:
				values[i] = string([]rune{rune(r.IntN(0xD7FF)), rune(r.IntN(0x80))})
			case 3:
				values[i] = r.IntN(2) == 0
			default:
				values[i] = []engine.Value{r.Int64(), r.Float64(), []engine.Value{"x"}}
			}
		}
		tree, _ := publish(t, returning(values...), Options{})
		f := load(t, tree, RunsFile)
		for i, want := range values {
			have := cell(t, f, i, "x")
			if x, ok := want.(float64); ok && math.IsNaN(x) {
				if y, ok := have.(float64); !ok || !math.IsNaN(y) {
					t.Errorf("NaN became %v", have)
				}
			} else if !reflect.DeepEqual(have, want) {
				t.Errorf("%#v became %#v", want, have)
			}
		}
	}
}

func TestLevelsThatOnlyALabelTellsApartAreLabels(t *testing.T) {
	for _, c := range []struct {
		levels   []engine.Level
		labelled bool
		typ      columns.Type
	}{
		{[]engine.Level{{Label: "1", Value: int64(1)}, {Label: "2.5", Value: 2.5}}, false, columns.Float},
		{[]engine.Level{{Label: "off", Value: nil}, {Label: "on", Value: "-Z"}}, true, columns.String},
		{[]engine.Level{{Label: "true", Value: true}, {Label: "1", Value: int64(1)}}, true, columns.String},
		{[]engine.Level{{Label: "[1,2]", Value: []engine.Value{int64(1), int64(2)}}}, true, columns.String},
		{[]engine.Level{{Label: "big", Value: struct{}{}}}, true, columns.String},
	} {
		column, mix := variableColumn([]engine.Variable{{Name: "v", Levels: c.levels}})
		if typ, _ := mix.Type(); column.Labelled != c.labelled || typ != c.typ || len(column.Levels) != len(c.levels) {
			t.Errorf("%v: labelled %v, %s", c.levels, column.Labelled, typ)
		}
	}
}

func TestNamesThatMeetAreKeptApart(t *testing.T) {
	c := newCampaign(1)
	c.attempts[0].Done.Results = engine.Results{
		{Name: "Seconds", Value: int64(1)}, {Name: "variant", Value: int64(2)}, {Name: "at", Value: int64(3)}, {Name: "Goodput", Value: int64(4)}, {Name: "goodput", Value: 5.0},
	}
	tree, _ := publish(t, c, Options{})
	f := load(t, tree, RunsFile)
	for name, want := range map[string]engine.Value{"result_Seconds": int64(1), "result_variant": int64(2), "result_at": int64(3), "result_Goodput": int64(4), "goodput": 5.0, "variant": "tcp"} {
		if have := cell(t, f, 0, name); have != want {
			t.Errorf("%s is %v, want %v", name, have, want)
		}
	}
	seen := map[string]bool{}
	for _, column := range f.Columns {
		if low := strings.ToLower(column.Name); seen[low] || low == "at" {
			t.Errorf("column %q twice", column.Name)
		} else {
			seen[low] = true
		}
	}
}

func TestRunsOutsideTheLatestDesignAreMarked(t *testing.T) {
	c := newCampaign(2)
	next := c.plans[0]
	next.Number, next.Reason = 2, "extend"
	next.Experiment.Variables = append([]engine.Variable(nil), next.Experiment.Variables...)
	next.Experiment.Variables[2].Levels = next.Experiment.Variables[2].Levels[:1] // parallel=2 is gone
	next.Experiment.Replicates = 1
	c.plans = append(c.plans, next)
	tree, _ := publish(t, c, Options{})
	f := load(t, tree, RunsFile)
	for row := range f.Len() {
		want := cell(t, f, row, "parallel") == int64(2) || cell(t, f, row, "replicate") == int64(2)
		if have := cell(t, f, row, "orphaned"); have != want {
			t.Errorf("row %d: orphaned %v, want %v", row, have, want)
		}
	}
}

// TestReaderProcess is what TestATableIsWholeWhileItIsReplaced starts: it opens
// a table again and again until its standard input ends.
func TestReaderProcess(t *testing.T) {
	path := os.Getenv("MPF_READ_TABLE")
	if path == "" {
		return // it is the child of another test
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		os.Stdin.Read(make([]byte, 1))
	}()
	reads, last := 0, int64(0)
	for {
		select {
		case <-ended:
			os.Stdout.WriteString("reads " + strconv.Itoa(reads) + "\n")
			return
		default:
		}
		f, err := Open(path)
		if err != nil {
			t.Fatalf("after %d reads: %v", reads, err)
		}
		frame, err := f.Load()
		f.Close()
		if err != nil || int64(frame.Len()) < last {
			t.Fatalf("after %d reads: %d rows after %d, %v", reads, frame.Len(), last, err)
		}
		reads, last = reads+1, int64(frame.Len())
	}
}

func TestATableIsWholeWhileItIsReplaced(t *testing.T) {
	tree, dir := fsystest.OnDisk(t)
	c := newCampaign(15)
	p := NewPublisher(tree, Options{})
	publishFirst := func(n int) {
		part := &campaign{plans: c.plans, attempts: c.attempts[:n]}
		if _, err := p.Publish(context.Background(), part, false); err != nil {
			t.Fatal(err)
		}
	}
	publishFirst(1)
	reader := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestReaderProcess$", "-test.v")
	reader.Env = append(os.Environ(), "MPF_READ_TABLE="+filepath.Join(dir, RunsFile))
	stdin, err := reader.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	reader.Stdout, reader.Stderr = &out, &out
	if err := reader.Start(); err != nil {
		t.Fatal(err)
	}
	for n := range c.attempts {
		publishFirst(n + 1)
	}
	stdin.Close()
	if err := reader.Wait(); err != nil || !strings.Contains(out.String(), "reads ") {
		t.Errorf("%v: %s", err, out.String())
	}
}
