package columns

import (
	"math"
	"slices"
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
// empty. What all values share is kept once: many columns hold one value all
// over, and nearly all values of one kind.
type Vector struct {
	n     int
	kind  Kind     // of all values, while there are no kinds
	word  uint64   // of all values, while there are no words
	kinds []Kind   // of each value, once they differ
	words []uint64 // of each value, once they differ: bits; of a text its index in texts
	room  int      // for how many values room is made once they differ

	texts []string          // few where values repeat
	known map[string]uint64 // places in texts, while they are few
}

const (
	// maxCompared is up to how many texts a vector looks through for one.
	maxCompared = 8
	// maxKnown is up to how many texts a vector finds again.
	maxKnown = 256
)

// Len returns the number of values, nulls included.
func (v *Vector) Len() int { return v.n }

// Kind returns the kind of the i-th value.
func (v *Vector) Kind(i int) Kind {
	if len(v.kinds) > 0 {
		return v.kinds[i]
	}
	return v.kind
}

// Uniform returns the kind of all values, if they have the same.
func (v *Vector) Uniform() (Kind, bool) { return v.kind, len(v.kinds) == 0 }

func (v *Vector) bits(i int) uint64 {
	if len(v.words) > 0 {
		return v.words[i]
	}
	return v.word
}

// Word returns the bits of the i-th value, if it is a bool, an int, a float or
// a time, else 0.
func (v *Vector) Word(i int) uint64 {
	if v.isText(i) {
		return 0
	}
	return v.bits(i)
}

// Words returns the bits of all values, or once where all are the same. Those of
// a text or a list are its place in Texts; those of a null mean nothing. They are
// to be read, not kept.
func (v *Vector) Words() []uint64 {
	if len(v.words) == 0 {
		return []uint64{v.word}
	}
	return v.words
}

// Texts returns the texts that Words are places in.
func (v *Vector) Texts() []string { return v.texts }

// Float returns the i-th value, if it is a float.
func (v *Vector) Float(i int) float64 { return math.Float64frombits(v.bits(i)) }

func (v *Vector) isText(i int) bool {
	k := v.Kind(i)
	return k == KindText || k == KindList
}

// Text returns the i-th value, if it is a text or a list.
func (v *Vector) Text(i int) string {
	if !v.isText(i) {
		return ""
	}
	return v.texts[v.bits(i)]
}

func (v *Vector) add(k Kind, word uint64) {
	if len(v.words) == 0 {
		if v.n == 0 {
			v.kind, v.word = k, word
		}
		if k == v.kind && word == v.word {
			v.n++
			return
		}
		v.spread()
	}
	if len(v.kinds) > 0 || k != v.kind {
		v.addKind(k)
	}
	v.words = append(v.words, word)
	v.n++
}

// spread gives each value a word of its own.
func (v *Vector) spread() {
	if cap(v.words) == 0 {
		v.words = make([]uint64, 0, max(v.room, 2*v.n, 16))
	}
	v.words = appendCopies(v.words, v.word, v.n)
}

// addKind gives each value a kind of its own and adds one.
func (v *Vector) addKind(k Kind) {
	if len(v.kinds) == 0 {
		if cap(v.kinds) == 0 {
			v.kinds = make([]Kind, 0, cap(v.words))
		}
		v.kinds = appendCopies(v.kinds, v.kind, v.n)
	}
	v.kinds = append(v.kinds, k)
}

func appendCopies[T any](list []T, item T, n int) []T {
	list = slices.Grow(list, n)
	for range n {
		list = append(list, item)
	}
	return list
}

// repeat adds n values that are the same.
func (v *Vector) repeat(k Kind, word uint64, n int) {
	if n <= 0 {
		return
	}
	v.add(k, word)
	switch n--; {
	case len(v.words) == 0:
		v.n += n
		return
	case len(v.kinds) > 0:
		v.kinds = appendCopies(v.kinds, k, n)
	}
	v.words = appendCopies(v.words, word, n)
	v.n += n
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
	if n <= maxCompared {
		for i := n - 1; i >= 0; i-- {
			if v.texts[i] == text {
				return uint64(i)
			}
		}
	} else if place, ok := v.find(text); ok {
		return place
	}
	v.texts = append(v.texts, text)
	if n >= maxCompared && n < maxKnown {
		v.remember()
	}
	return uint64(n)
}

// find looks for one of many texts. A vector of many different ones gives up.
func (v *Vector) find(text string) (uint64, bool) {
	n := len(v.texts)
	if v.texts[n-1] == text {
		return uint64(n - 1), true
	}
	if n >= 4*maxKnown {
		v.known = nil
	}
	place, ok := v.known[text]
	return place, ok
}

// remember makes the last text known, and all before it if none is.
func (v *Vector) remember() {
	if v.known == nil {
		v.known = map[string]uint64{}
		for i, text := range v.texts {
			v.known[text] = uint64(i)
		}
	}
	n := len(v.texts) - 1
	v.known[v.texts[n]] = uint64(n)
}

// At returns the i-th value: nil, bool, int64, float64, string, []engine.Value
// or time.Time.
func (v *Vector) At(i int) engine.Value {
	switch v.Kind(i) {
	case KindBool:
		return v.bits(i) != 0
	case KindInt:
		return int64(v.bits(i))
	case KindFloat:
		return math.Float64frombits(v.bits(i))
	case KindText:
		return v.Text(i)
	case KindTime:
		return time.UnixMicro(int64(v.bits(i))).UTC()
	case KindList:
		if list, err := ParseJSON([]byte(v.Text(i))); err == nil {
			return list
		}
		return v.Text(i)
	}
	return nil
}
