package flags

import (
	"math"
	"reflect"
	"testing"

	"mpf/engine"
)

func TestTextBecomesAValueOfTheDefaultsType(t *testing.T) {
	for _, c := range []struct {
		text     string
		fallback engine.Value
		want     engine.Value // nil: refused
	}{
		{"x", "", "x"}, {"", "y", ""}, {"x", nil, "x"}, {"TRUE", false, true}, {"yes", false, nil}, {"0x10", int64(1), int64(16)}, {"1.5", int64(1), nil},
		{"1.5", 2.0, 1.5}, {"NaN", 2.0, nil}, {"inf", 2.0, math.Inf(1)}, {"a,b", []engine.Value{"x"}, []engine.Value{"a", "b"}},
	} {
		got, err := Parse(c.text, c.fallback)
		if (err != nil) != (c.want == nil) || err == nil && !reflect.DeepEqual(got, c.want) {
			t.Errorf("%q for %v: got %v, %v, want %v", c.text, c.fallback, got, err, c.want)
		}
	}
}
