package columns

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"mpf/engine"
)

func vectorOf(values ...engine.Value) *Vector {
	v := &Vector{}
	for _, value := range values {
		v.Add(value)
	}
	return v
}

func mixOf(v *Vector) Mix {
	var m Mix
	m.Add(v, 0)
	return m
}

func TestTypesJoinWithoutLoss(t *testing.T) {
	list := []engine.Value{int64(1), 1.0}
	for _, c := range []struct {
		name   string
		values []engine.Value
		want   Type
		mixed  bool
		holds  []engine.Value
	}{
		{"nothing", []engine.Value{nil, nil}, String, false, []engine.Value{nil, nil}},
		{"late", []engine.Value{nil, int64(3)}, Int, false, []engine.Value{nil, int64(3)}},
		{"int then float", []engine.Value{int64(3), 2.5}, Float, false, []engine.Value{3.0, 2.5}},
		{"2^53 and a float", []engine.Value{int64(1 << 53), 2.5}, Float, false, []engine.Value{float64(1 << 53), 2.5}},
		{"2^53+1 and a float", []engine.Value{int64(1<<53 + 1), 2.5}, String, true, []engine.Value{"9007199254740993", "2.5"}},
		{"2^53+1 alone", []engine.Value{int64(1<<53 + 1)}, Int, false, []engine.Value{int64(1<<53 + 1)}},
		{"-2^53-1 and a float", []engine.Value{-int64(1<<53 + 1), 1.0}, String, true, []engine.Value{"-9007199254740993", "1.0"}},
		{"bool and int", []engine.Value{true, int64(1)}, String, true, []engine.Value{"true", "1"}},
		{"text and float", []engine.Value{"fast", 1.0}, String, true, []engine.Value{"fast", "1.0"}},
		{"infinity", []engine.Value{math.Inf(1), int64(1)}, Float, false, []engine.Value{math.Inf(1), 1.0}},
		{"lists", []engine.Value{list, nil}, List, false, []engine.Value{list, nil}},
		{"list and int", []engine.Value{list, int64(2)}, String, true, []engine.Value{"[1,1.0]", "2"}},
	} {
		v := vectorOf(c.values...)
		have, mixed := mixOf(v).Type()
		if have != c.want || mixed != c.mixed {
			t.Errorf("%s: %s, mixed %v; want %s, %v", c.name, have, mixed, c.want, c.mixed)
		}
		w := Convert(v, have)
		for i, want := range c.holds {
			if !reflect.DeepEqual(w.At(i), want) {
				t.Errorf("%s: value %d is %#v, want %#v", c.name, i, w.At(i), want)
			}
		}
	}
}

func TestNaNIsAFloat(t *testing.T) {
	v := vectorOf(math.NaN(), int64(1))
	have, mixed := mixOf(v).Type()
	if f, ok := Convert(v, have).At(0).(float64); have != Float || mixed || !ok || !math.IsNaN(f) {
		t.Errorf("%s, mixed %v", have, mixed)
	}
}

func FuzzValuesSurviveJSON(f *testing.F) {
	f.Add(int64(1), 1.0, "x", true)
	f.Add(int64(math.MinInt64), math.Inf(-1), "\"<>&\x00ä", false)
	f.Add(int64(1<<53+1), 1e300, "", false)
	f.Fuzz(func(t *testing.T, i int64, x float64, s string, b bool) {
		if math.IsNaN(x) {
			x = 0
		}
		v := vectorOf(s) // bytes that are not text are replaced here
		value := []engine.Value{nil, i, x, v.At(0), b, []engine.Value{i, []engine.Value{}}}
		data := AppendJSON(nil, value)
		if !json.Valid(data) {
			t.Fatalf("not JSON: %s", data)
		}
		back, err := ParseJSON(data)
		if err != nil || !reflect.DeepEqual(back, value) {
			t.Errorf("%#v came back as %#v, %v", value, back, err)
		}
	})
}

func TestLevelsKeepTypeAndLabel(t *testing.T) {
	levels := []Level{{"off", nil}, {"1", int64(1)}, {"1.0", 1.0}, {"obj", struct{}{}}}
	data, err := json.Marshal(levels)
	if err != nil {
		t.Fatal(err)
	}
	var back []Level
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatal(err)
	}
	want := []Level{{"off", nil}, {"1", int64(1)}, {"1.0", 1.0}, {"obj", "obj"}}
	if !reflect.DeepEqual(back, want) {
		t.Errorf("%#v", back)
	}
}

func TestVectorsGrowPickAndExtend(t *testing.T) {
	v := vectorOf(int64(1), nil, "a")
	v.Extend(vectorOf(2.5, true))
	v.Pad(7)
	w := v.Pick([]int{2, 0, 4, 6})
	for i, want := range []engine.Value{"a", int64(1), true, nil} {
		if w.At(i) != want {
			t.Errorf("%d: %v, want %v", i, w.At(i), want)
		}
	}
}

// TestVectorsHoldWhatWasAdded compares a vector with a plain list of the same
// values, whatever was done to them.
func TestVectorsHoldWhatWasAdded(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		v, want := &Vector{}, []engine.Value(nil)
		some := []engine.Value{nil, int64(0), int64(7), 0.0, math.Copysign(0, -1), 2.5, true, false, "", "a", []engine.Value{int64(1)}}
		some = some[:1+r.IntN(len(some))]
		draw := func() engine.Value {
			if len(some) == 11 && r.IntN(2) == 0 {
				return fmt.Sprint(r.IntN(2000))
			}
			return some[r.IntN(len(some))]
		}
		for range r.IntN(60) {
			switch r.IntN(6) {
			case 0:
				v.Pad(len(want) + 3)
				want = append(want, nil, nil, nil)
			case 1:
				var more []engine.Value
				for range r.IntN(30) {
					more = append(more, draw())
				}
				v.Extend(vectorOf(more...))
				want = append(want, more...)
			case 2:
				var places []int
				var picked []engine.Value
				for range r.IntN(1 + 40*min(1, len(want))) {
					p := r.IntN(len(want))
					places, picked = append(places, p), append(picked, want[p])
				}
				v, want = v.Pick(places), picked
			case 3:
				value, n := draw(), r.IntN(20)
				for range n {
					v.Add(value)
					want = append(want, value)
				}
			case 4:
				v.Grow(r.IntN(10))
			default:
				value := draw()
				v.Add(value)
				want = append(want, value)
			}
		}
		wantValues(t, v, want)
		v.Clear()
		v.Add("again")
		wantValues(t, v, []engine.Value{"again"})
	}
}

func wantValues(t *testing.T, v *Vector, want []engine.Value) {
	t.Helper()
	if v.Len() != len(want) {
		t.Fatalf("%d values, want %d", v.Len(), len(want))
	}
	empty, constant := true, true
	for i, value := range want {
		if !reflect.DeepEqual(v.At(i), value) {
			t.Fatalf("value %d is %#v, want %#v", i, v.At(i), value)
		}
		empty = empty && value == nil
		constant = constant && reflect.DeepEqual(value, want[0])
	}
	if v.Empty() != empty {
		t.Errorf("empty %v, want %v", v.Empty(), empty)
	}
	if v.Constant() && !constant {
		t.Errorf("constant, but holds %v", want)
	}
}
