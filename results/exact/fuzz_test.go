package exact

import (
	"bytes"
	"math"
	"testing"

	"mpf/engine"
)

// FuzzValue wants every value to come back as it was.
func FuzzValue(f *testing.F) {
	f.Add(int64(1), 0.1, "x", true)
	f.Add(int64(-1<<63), math.Copysign(0, -1), "\x00\u2028\"\\", false)
	f.Fuzz(func(t *testing.T, i int64, x float64, s string, b bool) {
		v := engine.Value([]engine.Value{i, x, s, b, nil, []engine.Value{s}})
		if CheckValue(v) != nil {
			return
		}
		e := encoder{}
		e.value(v)
		d := Decoder{b: e.b}
		back := d.value()
		must(t, d.err)
		again := encoder{}
		again.value(back)
		if !bytes.Equal(e.b, again.b) {
			t.Errorf("wrote %s, then %s", e.b, again.b)
		}
	})
}
