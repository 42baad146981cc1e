package convert

import (
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"go.starlark.net/starlark"

	"mpf/engine"
)

// build makes a plain value of bytes.
func build(data []byte, depth int) (engine.Value, []byte) {
	if len(data) == 0 {
		return nil, nil
	}
	kind, data := data[0], data[1:]
	take := func(n int) []byte {
		n = min(n, len(data))
		taken := data[:n]
		data = data[n:]
		return taken
	}
	switch kind % 6 {
	case 1:
		return kind > 128, data
	case 2, 3:
		var n uint64
		for _, b := range take(8) {
			n = n<<8 | uint64(b)
		}
		if kind%6 == 2 {
			return int64(n), data
		}
		return math.Float64frombits(n), data
	case 4:
		return strings.ToValidUTF8(string(take(int(kind)/6)), "?"), data
	case 5:
		if depth > 5 {
			return nil, data
		}
		items := make([]engine.Value, kind/64)
		for i := range items {
			items[i], data = build(data, depth+1)
		}
		return items, data
	}
	return nil, data
}

// same compares values, types included; NaN is NaN.
func same(a, b engine.Value) bool {
	if x, ok := a.(float64); ok {
		y, ok := b.(float64)
		return ok && math.Float64bits(x) == math.Float64bits(y)
	}
	return reflect.DeepEqual(a, b)
}

func FuzzValuesSurviveTheWayToScriptsAndBack(f *testing.F) {
	f.Add([]byte{2, 255, 255, 255, 255, 255, 255, 255, 255})
	f.Add([]byte{3, 0x7f, 0xf8, 0, 0, 0, 0, 0, 1})
	f.Add([]byte{3, 0x80, 0, 0, 0, 0, 0, 0, 0})
	f.Add([]byte{28, 'a', 0, 0xff, 'b'})
	f.Add([]byte{197, 1, 129, 0, 197, 0, 0, 0})
	f.Fuzz(func(t *testing.T, data []byte) {
		v, _ := build(data, 0)
		back, err := Plain(Starlark(v))
		if err != nil {
			t.Fatal(err)
		}
		if list, ok := v.([]engine.Value); ok {
			sameLists(t, list, back.([]engine.Value))
		} else if !same(v, back) {
			t.Fatalf("%#v became %#v", v, back)
		}
	})
}

func sameLists(t *testing.T, a, b []engine.Value) {
	if len(a) != len(b) {
		t.Fatalf("%#v became %#v", a, b)
	}
	for i := range a {
		if list, ok := a[i].([]engine.Value); ok {
			sameLists(t, list, b[i].([]engine.Value))
		} else if !same(a[i], b[i]) {
			t.Fatalf("%#v became %#v", a[i], b[i])
		}
	}
}

func TestWhatARecordCannotHoldIsRefused(t *testing.T) {
	for _, v := range []starlark.Value{
		starlark.NewDict(0), starlark.MakeInt(1).Lsh(63), starlark.String("\xff"), starlark.NewSet(0),
		starlark.NewList([]starlark.Value{starlark.Bytes("x")}),
	} {
		if got, err := Plain(v); err == nil {
			t.Errorf("%v became %v", v, got)
		}
	}
}

func TestDurations(t *testing.T) {
	for _, c := range []struct {
		v    starlark.Value
		want time.Duration
	}{
		{starlark.String("250ms"), 250 * time.Millisecond},
		{starlark.String("1m30s"), 90 * time.Second},
		{starlark.MakeInt(2), 2 * time.Second},
		{starlark.Float(0.5), time.Second / 2},
		{starlark.String("1"), -1},
		{starlark.MakeInt(-1), -1},
		{starlark.Float(math.NaN()), -1},
		{starlark.Float(1e300), -1},
		{starlark.None, -1},
	} {
		var d Duration
		err := d.Unpack(c.v)
		if (err != nil) != (c.want < 0) || err == nil && d.D != c.want {
			t.Errorf("%v: %v, %v", c.v, d.D, err)
		}
	}
}

func TestSizes(t *testing.T) {
	for text, want := range map[string]int64{"64KiB": 65536, "2MB": 2e6, "1.5 GiB": 3 << 29, "7B": 7, "7": -1, "x": -1, "-1B": -1} {
		var s Size
		err := s.Unpack(starlark.String(text))
		if (err != nil) != (want < 0) || err == nil && s.Bytes != want {
			t.Errorf("%q: %v, %v", text, s.Bytes, err)
		}
	}
}
