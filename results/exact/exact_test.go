package exact

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"mpf/engine"
)

func TestValues(t *testing.T) {
	for _, v := range []engine.Value{
		nil, true, false, int64(math.MaxInt64), int64(math.MinInt64), 0.1, math.Inf(1), math.Inf(-1),
		math.SmallestNonzeroFloat64, math.Copysign(0, -1), "", "\x00\x1f\"\\\u2028é", []engine.Value{},
		[]engine.Value{int64(1), 1.0, []engine.Value{"x"}}, strings.Repeat("x", MaxString),
	} {
		e := encoder{}
		e.value(v)
		must(t, e.err)
		d := Decoder{b: e.b}
		if back := d.value(); d.err != nil || !reflect.DeepEqual(v, back) {
			t.Errorf("wrote %#v as %s, read %#v, %v", v, e.b, back, d.err)
		}
	}
}

func TestValuesThatCannotBeRecorded(t *testing.T) {
	deep := engine.Value("x")
	for range maxDepth + 1 {
		deep = []engine.Value{deep}
	}
	for want, v := range map[string]engine.Value{
		"a value of type int cannot":  1,
		"text that is not UTF-8":      "\xff",
		"is too long for a result":    strings.Repeat("x", MaxString+1),
		"lists nested more than 32":   deep,
		"a value of type struct {} c": []engine.Value{struct{}{}},
	} {
		if err := CheckValue(v); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
	}
}

func TestNamesInTheRecord(t *testing.T) {
	for name, want := range map[string]string{
		"BootID": "boot_id", "CPUs": "cpus", "SHA256": "sha256", "MPF": "mpf", "UserSeconds": "user_seconds",
		"MaxRSS": "max_rss", "SamplerCPU": "sampler_cpu", "NICs": "nics", "GPU": "gpu", "HTTPServer": "http_server",
	} {
		if got := snake(name); got != want {
			t.Errorf("%s became %s, want %s", name, got, want)
		}
	}
}

func TestBytesThatAreNoTextAreReplaced(t *testing.T) {
	e := encoder{}
	e.text("a\xff\xfeb\x01")
	if got := string(e.b); got != `"a`+"\uFFFD\uFFFD"+`b\u0001"` {
		t.Errorf("wrote %s", got)
	}
}

func TestIntegersBeyondWhatReadersHoldAreText(t *testing.T) {
	form := StructOf[engine.Run]()
	text, err := form.Append(nil, "", &engine.Run{Rank: math.MaxUint64, Position: 1 << 53})
	must(t, err)
	for _, want := range []string{`"rank":"18446744073709551615"`, `"position":"9007199254740992"`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %s in %s", want, text)
		}
	}
	must(t, form.Decode(text, new(engine.Run)))
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
