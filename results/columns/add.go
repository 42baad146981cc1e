package columns

import (
	"math"
	"time"

	"mpf/engine"
)

// AddNull appends a null.
func (v *Vector) AddNull() { v.add(KindNull, 0) }

// AddBool appends a bool.
func (v *Vector) AddBool(b bool) {
	if b {
		v.add(KindBool, 1)
	} else {
		v.add(KindBool, 0)
	}
}

// AddInt appends an int.
func (v *Vector) AddInt(i int64) { v.add(KindInt, uint64(i)) }

// AddInts appends ints.
func (v *Vector) AddInts(list []int64) {
	for len(list) > 0 && !v.takes(KindInt) {
		v.AddInt(list[0])
		list = list[1:]
	}
	for _, i := range list {
		v.words = append(v.words, uint64(i))
	}
	v.n += len(list)
}

// AddFloats appends floats.
func (v *Vector) AddFloats(list []float64) {
	for len(list) > 0 && !v.takes(KindFloat) {
		v.AddFloat(list[0])
		list = list[1:]
	}
	for _, f := range list {
		v.words = append(v.words, math.Float64bits(f))
	}
	v.n += len(list)
}

// takes reports whether a value of a kind is added by adding its word alone.
func (v *Vector) takes(k Kind) bool { return len(v.words) > 0 && len(v.kinds) == 0 && v.kind == k }

// Repeat appends the last value n times more.
func (v *Vector) Repeat(n int) {
	if last := v.n - 1; last >= 0 {
		v.repeat(v.Kind(last), v.bits(last), n)
	}
}

// AddFloat appends a float.
func (v *Vector) AddFloat(f float64) { v.add(KindFloat, math.Float64bits(f)) }

// AddText appends a text. Bytes that are not UTF-8 are replaced.
func (v *Vector) AddText(text string) { v.addText(KindText, text) }

// AddTime appends a time in microseconds; the zero time is a null.
func (v *Vector) AddTime(t time.Time) {
	if t.IsZero() {
		v.AddNull()
		return
	}
	v.add(KindTime, uint64(t.UnixMicro()))
}

// AddMicros appends a time, given as microseconds since 1970.
func (v *Vector) AddMicros(us int64) { v.add(KindTime, uint64(us)) }

// AddList appends a list, given as JSON.
func (v *Vector) AddList(json string) { v.addText(KindList, json) }

// Add appends a plain value; any other becomes its text.
func (v *Vector) Add(value engine.Value) {
	switch value := value.(type) {
	case nil:
		v.AddNull()
	case bool:
		v.AddBool(value)
	case int64:
		v.AddInt(value)
	case float64:
		v.AddFloat(value)
	case []engine.Value:
		v.AddList(string(AppendJSON(nil, value)))
	case time.Time:
		v.AddTime(value)
	default:
		v.AddText(engine.FormatValue(value))
	}
}

// AddBytes appends a text that is given as bytes, which are not kept.
func (v *Vector) AddBytes(text []byte) {
	if n := len(v.texts); n <= maxCompared {
		for i, known := range v.texts {
			if known == string(text) {
				v.add(KindText, uint64(i))
				return
			}
		}
	} else if place, ok := v.known[string(text)]; ok {
		v.add(KindText, place)
		return
	}
	v.AddText(string(text))
}
