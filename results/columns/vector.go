package columns

import (
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"mpf/engine"
)

// Kind is what one value of a vector is.
type Kind uint8

const (
	KindNull Kind = iota
	KindBool
	KindInt
	KindFloat
	KindText
	KindTime
	KindList
)

// A Vector holds the values of a column, each with its kind. The zero value is
// empty.
type Vector struct {
	kinds []Kind
	words []uint64 // bits; of a text its index in texts

	texts []string          // few where values repeat
	known map[string]uint64 // places in texts, while they are few
}

// maxKnown is up to how many texts a vector finds again.
const maxKnown = 256

// Len returns the number of values, nulls included.
func (v *Vector) Len() int { return len(v.kinds) }

// Kind returns the kind of the i-th value.
func (v *Vector) Kind(i int) Kind { return v.kinds[i] }

// Word returns the bits of the i-th value, if it is a bool, an int, a float or
// a time, else 0.
func (v *Vector) Word(i int) uint64 {
	if v.kinds[i] == KindText || v.kinds[i] == KindList {
		return 0
	}
	return v.words[i]
}

// Float returns the i-th value, if it is a float.
func (v *Vector) Float(i int) float64 { return math.Float64frombits(v.words[i]) }

// Text returns the i-th value, if it is a text or a list.
func (v *Vector) Text(i int) string {
	if v.kinds[i] != KindText && v.kinds[i] != KindList {
		return ""
	}
	return v.texts[v.words[i]]
}

func (v *Vector) add(k Kind, word uint64) {
	v.kinds = append(v.kinds, k)
	v.words = append(v.words, word)
}

func (v *Vector) addText(k Kind, text string) {
	if !utf8.ValidString(text) {
		text = strings.ToValidUTF8(text, "\uFFFD")
	}
	v.add(k, v.place(text))
}

// place returns where a text stands among the texts, after adding it if it must.
func (v *Vector) place(text string) uint64 {
	n := len(v.texts)
	if n > 0 && v.texts[n-1] == text {
		return uint64(n - 1)
	}
	if n < maxKnown {
		if place, ok := v.known[text]; ok {
			return place
		}
		if v.known == nil {
			v.known = map[string]uint64{}
		}
		v.known[text] = uint64(n)
	} else if v.known != nil {
		if place, ok := v.known[text]; ok {
			return place
		}
		if n >= 4*maxKnown {
			v.known = nil
		}
	}
	v.texts = append(v.texts, text)
	return uint64(n)
}

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

// At returns the i-th value: nil, bool, int64, float64, string, []engine.Value
// or time.Time.
func (v *Vector) At(i int) engine.Value {
	switch v.kinds[i] {
	case KindBool:
		return v.words[i] != 0
	case KindInt:
		return int64(v.words[i])
	case KindFloat:
		return math.Float64frombits(v.words[i])
	case KindText:
		return v.Text(i)
	case KindTime:
		return time.UnixMicro(int64(v.words[i])).UTC()
	case KindList:
		if list, err := ParseJSON([]byte(v.Text(i))); err == nil {
			return list
		}
		return v.Text(i)
	}
	return nil
}

// AsLists makes lists of the texts: a file tells the two apart by its metadata
// alone.
func (v *Vector) AsLists() {
	for i, k := range v.kinds {
		if k == KindText {
			v.kinds[i] = KindList
		}
	}
}

// Constant reports whether all values are the same.
func (v *Vector) Constant() bool {
	for i := 1; i < len(v.kinds); i++ {
		if v.kinds[i] != v.kinds[0] || v.words[i] != v.words[0] && (v.Text(0) == "" || v.Text(i) != v.Text(0)) {
			return false
		}
	}
	return true
}

// Empty reports whether all values are null.
func (v *Vector) Empty() bool {
	for _, k := range v.kinds {
		if k != KindNull {
			return false
		}
	}
	return true
}

// Clear makes v empty and keeps its room.
func (v *Vector) Clear() {
	clear(v.texts)
	v.kinds, v.words, v.texts, v.known = v.kinds[:0], v.words[:0], v.texts[:0], nil
}

// Pad appends nulls until there are n values.
func (v *Vector) Pad(n int) {
	for v.Len() < n {
		v.AddNull()
	}
}

// Grow makes room for n more values.
func (v *Vector) Grow(n int) {
	v.kinds = append(make([]Kind, 0, len(v.kinds)+n), v.kinds...)
	v.words = append(make([]uint64, 0, len(v.words)+n), v.words...)
}

// Extend appends the values of w.
func (v *Vector) Extend(w *Vector) {
	from := len(v.kinds)
	v.kinds = append(v.kinds, w.kinds...)
	v.words = append(v.words, w.words...)
	if len(w.texts) == 0 {
		return
	}
	places := make([]uint64, len(w.texts))
	for i, text := range w.texts {
		places[i] = v.place(text)
	}
	for i := from; i < len(v.kinds); i++ {
		if v.kinds[i] == KindText || v.kinds[i] == KindList {
			v.words[i] = places[v.words[i]]
		}
	}
}

// Pick returns the values at the places given, in that order.
func (v *Vector) Pick(places []int) *Vector {
	w := &Vector{kinds: make([]Kind, len(places)), words: make([]uint64, len(places)), texts: v.texts[:len(v.texts):len(v.texts)]}
	for i, p := range places {
		w.kinds[i], w.words[i] = v.kinds[p], v.words[p]
	}
	return w
}

// Nulls returns a vector of n nulls.
func Nulls(n int) *Vector {
	return &Vector{kinds: make([]Kind, n), words: make([]uint64, n)}
}
