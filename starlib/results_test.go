package starlib

import (
	"strings"
	"testing"

	"mpf/engine"
)

func TestWhatIsNotCheckedIsReturned(t *testing.T) {
	_, results, err := runBody(t, `
out = ctx.run("sh", "-c", "echo 3.5 MB/s >&2; printf 'a\nb\n'; exit 3", check = False)
late = ctx.run("sleep", 60, timeout = "10ms", check = False)
return {"code": out.code, "lines": out.lines(), "rate": out.number("([0-9.]+) MB/s", of = "stderr"),
    "good": bool(out), "seconds_": out.seconds >= 0, "faults": out.usage.minor_faults, "late": late.timed_out}`)
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, r := range results {
		got += r.Name + "=" + engine.FormatValue(r.Value) + " "
	}
	if got != "code=3 lines=[a,b] rate=3.5 good=false seconds_=true faults=0 late=true " {
		t.Error(got)
	}
}

func TestDeclaredResultsAreChecked(t *testing.T) {
	for _, c := range []struct {
		kind, value string
		want        engine.Value // nil: refused
	}{
		{"float", "1", 1.0}, {"float", "1.5", 1.5}, {"float", "(1 << 53) + 1", nil}, {"float", "'1'", nil}, {"float", "True", nil},
		{"int", "1", int64(1)}, {"int", "1.0", nil}, {"str", "'x'", "x"}, {"str", "1", nil}, {"bool", "True", true}, {"bool", "1", nil},
		{"int", "[1]", nil},
	} {
		e := mustLoad(t, "experiment('x')\nresult('out', "+c.kind+")\nr = role('r')\nr.step(lambda ctx: {'out': "+c.value+"})\n")
		results, err := newStand(t, e).run(t.Context())
		if c.want == nil {
			f := failureOf(t, err)
			if f.Cause != engine.CauseResultType || !strings.Contains(f.Message, "declared "+string(e.Results[0].Type)) {
				t.Errorf("%s %s: %+v", c.kind, c.value, f)
			}
		} else if err != nil || results[0].Value != c.want {
			t.Errorf("%s %s: %v, %v", c.kind, c.value, results, err)
		}
	}
}

func TestNaNAndNoneAreResults(t *testing.T) {
	e := mustLoad(t, "experiment('x')\nresult('a', float)\nresult('b', int)\nr = role('r')\nr.step(lambda ctx: {'a': float('nan'), 'b': None, 'c': ''})\n")
	results, err := newStand(t, e).run(t.Context())
	if err != nil || results[0].Value == results[0].Value || results[1].Value != nil || results[2].Value != "" {
		t.Errorf("%v %v", results, err)
	}
}

func TestGathering(t *testing.T) {
	for _, c := range []struct {
		how    string
		values []engine.Value
		want   string
	}{
		{`"list"`, []engine.Value{int64(1), nil, "x"}, "[1,none,x]"},
		{`"sum"`, []engine.Value{int64(1), int64(2)}, "3"},
		{`"sum"`, []engine.Value{int64(1), 2.5}, "3.5"},
		{`"mean"`, []engine.Value{int64(1), nil, int64(2)}, "1.5"},
		{`"min"`, []engine.Value{3.0, 1.0, 2.0}, "1.0"},
		{`"max"`, []engine.Value{int64(3), int64(1)}, "3"},
		{`"max"`, []engine.Value{nil}, "none"},
		{`"sum"`, []engine.Value{"x"}, `result "out": gather = "sum" wants numbers, got string`},
		{`"sum"`, []engine.Value{int64(1) << 62, int64(1) << 62}, `result "out": gather = "sum": integer does not fit`},
		{`lambda values: values[-1]`, []engine.Value{int64(1), int64(2)}, "2"},
		{`lambda name, values: name + str(len(values))`, []engine.Value{int64(1), int64(2)}, "out2"},
		{`lambda values: 1 // 0`, []engine.Value{int64(1)}, "floored division by zero"},
		{`lambda values: len`, []engine.Value{int64(1)}, `result "out": gathered: got builtin`},
	} {
		e := mustLoad(t, "experiment('x')\nr = role('r')\nr.step(lambda ctx: None, gather = "+c.how+")\n")
		v, err := e.Timeline[0][0].Gather(t.Context(), "out", c.values)
		got := engine.FormatValue(v)
		if err != nil {
			got = failureOf(t, err).Message
		}
		if !strings.HasPrefix(got, c.want) {
			t.Errorf("%s of %v: got %q, want %q", c.how, c.values, got, c.want)
		}
	}
}
