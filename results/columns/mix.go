package columns

import (
	"strconv"

	"mpf/engine"
)

// maxExact is the largest int up to which every int is a float of its own.
const maxExact = 1 << 53

// MixedTypes is the code of warnings of values that do not join in one column.
const MixedTypes = "mixed-types"

// A Mix is the set of kinds that a column holds. It tells the column's type.
// The zero value is a column of nulls.
type Mix struct {
	kinds   uint8
	inexact bool // an int that no float equals is among them
}

// Add joins the kinds of v's values from the i-th on.
func (m *Mix) Add(v *Vector, from int) {
	if from >= v.Len() {
		return
	}
	if k, ok := v.Uniform(); ok && k != KindInt || len(v.words) == 0 {
		m.add(v, from)
		return
	}
	for i := from; i < v.Len(); i++ {
		m.add(v, i)
	}
}

// add joins the kind of one value.
func (m *Mix) add(v *Vector, i int) {
	k := v.Kind(i)
	m.kinds |= 1 << k
	if k == KindInt {
		n := int64(v.bits(i))
		m.inexact = m.inexact || n > maxExact || n < -maxExact
	}
}

// MarshalJSON writes the mix as a number: a bit for each kind, and one for ints
// that no float equals.
func (m Mix) MarshalJSON() ([]byte, error) {
	bits := uint64(m.kinds)
	if m.inexact {
		bits |= inexactBit
	}
	return strconv.AppendUint(nil, bits, 10), nil
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (m *Mix) UnmarshalJSON(data []byte) error {
	bits, err := strconv.ParseUint(string(data), 10, 16)
	*m = Mix{kinds: uint8(bits), inexact: bits&inexactBit != 0}
	return err
}

const inexactBit = 1 << 8

// Join adds what another mix holds.
func (m *Mix) Join(o Mix) {
	m.kinds |= o.kinds
	m.inexact = m.inexact || o.inexact
}

// Declare adds a type that was declared, so that a column has it before it has
// values.
func (m *Mix) Declare(t Type) { m.kinds |= 1 << kindOf(t) }

// Has reports whether values of a kind are among them.
func (m Mix) Has(k Kind) bool { return m.kinds&(1<<k) != 0 }

// Empty reports whether there are only nulls.
func (m Mix) Empty() bool { return m.kinds&^(1<<KindNull) == 0 }

// Single reports whether all values are of one kind, nulls aside.
func (m Mix) Single() bool {
	k := m.kinds &^ (1 << KindNull)
	return k&(k-1) == 0
}

// Type joins the kinds: one kind is its type; ints and floats are floats where
// every int is exact; anything else is text, and mixed.
func (m Mix) Type() (t Type, mixed bool) {
	switch m.kinds &^ (1 << KindNull) {
	case 0, 1 << KindText:
		return String, false
	case 1 << KindBool:
		return Bool, false
	case 1 << KindInt:
		return Int, false
	case 1 << KindFloat:
		return Float, false
	case 1 << KindTime:
		return Time, false
	case 1 << KindList:
		return List, false
	case 1<<KindInt | 1<<KindFloat:
		if !m.inexact {
			return Float, false
		}
	}
	return String, true
}

func kindOf(t Type) Kind {
	switch t {
	case Bool:
		return KindBool
	case Int:
		return KindInt
	case Float:
		return KindFloat
	case Time:
		return KindTime
	case List:
		return KindList
	}
	return KindText
}

// Convert returns the values of v as a column of type t holds them: ints as
// floats, and everything as text. v itself is returned where nothing changes.
func Convert(v *Vector, t Type) *Vector {
	if conforms(v, kindOf(t)) {
		return v
	}
	w := &Vector{}
	w.Grow(v.Len())
	for i := range v.Len() {
		switch value := v.At(i); {
		case value == nil:
			w.AddNull()
		case v.Kind(i) == kindOf(t):
			w.Add(value)
		case t == Float && v.Kind(i) == KindInt:
			w.AddFloat(float64(int64(v.bits(i))))
		default:
			w.AddText(engine.FormatValue(value))
		}
	}
	return w
}

func conforms(v *Vector, k Kind) bool {
	for _, have := range v.kinds {
		if have != k && have != KindNull {
			return false
		}
	}
	return len(v.kinds) > 0 || v.n == 0 || v.kind == k || v.kind == KindNull
}
