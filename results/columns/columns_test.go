package columns

import (
	"encoding/json"
	"math"
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
