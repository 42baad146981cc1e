package export

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"mpf/engine"
	"mpf/results/columns"
	"mpf/results/fsys/fsystest"
	"mpf/results/tables"
)

// edges has a column of each type with the values that are lost most easily.
func edges() columns.Frame {
	cols := []columns.Column{
		{Name: "run_id", Type: columns.String, Role: columns.Identity},
		{Name: "variant", Type: columns.String, Role: columns.Variable},
		{Name: "n", Type: columns.Int, Role: columns.Result},
		{Name: "x", Type: columns.Float, Role: columns.Result},
		{Name: "ok", Type: columns.Bool, Role: columns.Result},
		{Name: "list", Type: columns.List, Role: columns.Result},
	}
	rows := [][]engine.Value{
		{"a", "", int64(math.MaxInt64), 0.1, true, []engine.Value{int64(1), 1.0, "x,\"y"}},
		{"b", "a,b\n\"c\"", int64(-1), math.NaN(), false, nil},
		{"c", nil, nil, math.Inf(-1), nil, []engine.Value{}},
		{"d", " ä ", int64(0), 1.0, true, nil},
	}
	f := columns.Frame{Columns: cols}
	for i := range cols {
		v := &columns.Vector{}
		for _, row := range rows {
			v.Add(row[i])
		}
		f.Vectors = append(f.Vectors, v)
	}
	return f
}

func TestTextForms(t *testing.T) {
	for format, want := range map[Format]string{
		CSV: "run_id,variant,n,x,ok,list\n" +
			"a,\"\",9223372036854775807,0.1,true,\"[1,1.0,\"\"x,\\\"\"y\"\"]\"\n" +
			"b,\"a,b\n\"\"c\"\"\",-1,NaN,false,\n" +
			"c,,,-Inf,,[]\n" +
			"d,\" ä \",0,1.0,true,\n",
		JSONL: `{"run_id":"a","variant":"","n":9223372036854775807,"x":0.1,"ok":true,"list":[1,1.0,"x,\"y"]}` + "\n" +
			`{"run_id":"b","variant":"a,b\n\"c\"","n":-1,"x":"NaN","ok":false,"list":null}` + "\n" +
			`{"run_id":"c","variant":null,"n":null,"x":"-Inf","ok":null,"list":[]}` + "\n" +
			`{"run_id":"d","variant":" ä ","n":0,"x":1.0,"ok":true,"list":null}` + "\n",
	} {
		var out bytes.Buffer
		if err := Write(&out, edges(), format, nil); err != nil {
			t.Fatal(err)
		}
		if out.String() != want {
			t.Errorf("%s:\n%s\nwant\n%s", format, out.String(), want)
		}
	}
	var out bytes.Buffer
	if err := Write(&out, edges(), JSON, nil); err != nil || !json.Valid(out.Bytes()) {
		t.Errorf("not JSON, %v", err)
	}
	if err := Write(&out, edges(), "xlsx", nil); err == nil {
		t.Error("wrote xlsx")
	}
}

func TestBinaryFormsAreTheSameEachTime(t *testing.T) {
	for _, format := range []Format{Parquet, Feather} {
		var a, b bytes.Buffer
		if err := Write(&a, edges(), format, nil); err != nil {
			t.Fatal(err)
		}
		if err := Write(&b, edges(), format, nil); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(a.Bytes(), b.Bytes()) || a.Len() == 0 {
			t.Errorf("%s: not the same twice", format)
		}
	}
}

func imported(t *testing.T, csv string, variables ...string) columns.Frame {
	t.Helper()
	m, err := ImportCSV(strings.NewReader(csv), ImportOptions{Experiment: "old", Variables: variables})
	if err != nil {
		t.Fatal(err)
	}
	tree, dir := fsystest.OnDisk(t)
	if _, err := tables.Publish(context.Background(), m, tree, tables.Options{}); err != nil {
		t.Fatal(err)
	}
	f, err := tables.Open(filepath.Join(dir, tables.RunsFile))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	frame, err := f.Load()
	if err != nil {
		t.Fatal(err)
	}
	return frame
}

func TestACSVBecomesTables(t *testing.T) {
	f := imported(t, "variant,parallel,goodput,note,good,seconds,status\r\ntcp,1,940.5,\"a, \"\"b\"\"\",true,1.5,ok\r\ntcp,1,941,\"\",false,2,failed\r\nmptcp,2,,,true,3,ok\r\n", "variant", "parallel")
	for _, c := range []struct {
		row  int
		name string
		want engine.Value
	}{
		{0, "variant", "tcp"}, {0, "parallel", int64(1)}, {0, "goodput", 940.5}, {0, "note", "a, \"b\""}, {0, "good", true}, {0, "seconds", 1.5},
		{1, "replicate", int64(2)}, {1, "note", ""}, {1, "status", "failed"}, {2, "goodput", nil}, {2, "note", nil}, {2, "parallel", int64(2)},
	} {
		if have := f.Vectors[f.Find(c.name)].At(c.row); have != c.want {
			t.Errorf("row %d: %s is %#v, want %#v", c.row, c.name, have, c.want)
		}
	}
	if c := f.Columns[f.Find("variant")]; c.Role != columns.Variable {
		t.Errorf("variant is a %s", c.Role)
	}
}

func TestWhatIsExportedComesBack(t *testing.T) {
	first := imported(t, "v,x,s\n1,0.1,a\n2,NaN,\"\"\n3,,\n", "v")
	var out bytes.Buffer
	places := []int{first.Find("v"), first.Find("x"), first.Find("s")}
	if err := Write(&out, first.Select(places), CSV, nil); err != nil {
		t.Fatal(err)
	}
	if want := "v,x,s\n1,0.1,a\n2,NaN,\"\"\n3,,\n"; out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
}

func TestMistakesInACSVAreNamed(t *testing.T) {
	for csv, want := range map[string]string{
		"":              `csv: has no first row with names`,
		"a,b\n1\n":      `csv:2: 1 cells under 2 names`,
		"a\n\"x\n":      `csv:2: a quote that is not closed`,
		"b\n1\n":        `csv: has no column "a" for the variable (it has b)`,
		"a\n\xff\xfe\n": `csv:2: is not UTF-8`,
	} {
		_, err := ImportCSV(strings.NewReader(csv), ImportOptions{Variables: []string{"a"}})
		if err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", csv, err, want)
		}
	}
}
