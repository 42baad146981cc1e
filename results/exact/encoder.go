package exact

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"mpf/engine"
)

// An encoder appends JSON. Its first error sticks.
type encoder struct {
	b     []byte
	more  bool // an item was written in the present object or list
	depth int  // of lists in a value
	err   error

	opaque bool // values that are not plain are allowed, as record.Opaque
}

func (e *encoder) begin(c byte) {
	e.b = append(e.b, c)
	e.more = false
}

func (e *encoder) end(c byte) {
	e.b = append(e.b, c)
	e.more = true
}

func (e *encoder) comma() {
	if e.more {
		e.b = append(e.b, ',')
	}
}

func (e *encoder) fail(format string, args ...any) {
	if e.err == nil {
		e.err = fmt.Errorf(format, args...)
	}
}

// text appends a JSON string. Bytes that are not UTF-8 become U+FFFD.
func (e *encoder) text(s string) {
	e.b = append(e.b, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= 0x20 && c != '"' && c != '\\' && c < utf8.RuneSelf {
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if c >= utf8.RuneSelf && (r != utf8.RuneError || size > 1) {
			i += size
			continue
		}
		e.b = append(e.b, s[start:i]...)
		switch {
		case c == '"' || c == '\\':
			e.b = append(e.b, '\\', c)
		case c < 0x20:
			e.b = append(e.b, `\u00`...)
			e.b = hex.AppendEncode(e.b, []byte{c})
		default:
			e.b = append(e.b, "\uFFFD"...)
		}
		i += size
		start = i
	}
	e.b = append(e.b, s[start:]...)
	e.b = append(e.b, '"')
}

// safe is the largest integer up to which every reader of JSON is exact; larger
// ones are written as strings.
const safe = 1<<53 - 1

func putInt(e *encoder, v reflect.Value) {
	i := v.Int()
	if i >= -safe && i <= safe {
		e.b = strconv.AppendInt(e.b, i, 10)
		return
	}
	e.b = append(strconv.AppendInt(append(e.b, '"'), i, 10), '"')
}

func putUint(e *encoder, v reflect.Value) {
	u := v.Uint()
	if u <= safe {
		e.b = strconv.AppendUint(e.b, u, 10)
		return
	}
	e.b = append(strconv.AppendUint(append(e.b, '"'), u, 10), '"')
}

func putFloat(e *encoder, v reflect.Value) {
	f := v.Float()
	if math.IsNaN(f) || math.IsInf(f, 0) {
		e.b = append(strconv.AppendFloat(append(e.b, '"'), f, 'g', -1, 64), '"')
		return
	}
	e.b = strconv.AppendFloat(e.b, f, 'g', -1, 64)
}

func putBool(e *encoder, v reflect.Value) { e.b = strconv.AppendBool(e.b, v.Bool()) }

func putString(e *encoder, v reflect.Value) { e.text(v.String()) }

func putTime(e *encoder, v reflect.Value) {
	t := *v.Addr().Interface().(*time.Time)
	e.b = append(e.b, '"')
	e.b = t.UTC().AppendFormat(e.b, time.RFC3339Nano)
	e.b = append(e.b, '"')
}

func putRunID(e *encoder, v reflect.Value) {
	e.b = append(e.b, '"')
	e.b = hex.AppendEncode(e.b, v.Bytes())
	e.b = append(e.b, '"')
}

// putResults writes an object, its members in the order of the script.
func putResults(e *encoder, v reflect.Value) {
	if e.err != nil {
		return
	}
	e.begin('{')
	for _, result := range *v.Addr().Interface().(*engine.Results) {
		e.comma()
		e.text(result.Name)
		e.b = append(e.b, ':')
		e.value(result.Value)
		if e.err != nil {
			e.err = fmt.Errorf("result %q: %w", result.Name, e.err)
			return
		}
		e.more = true
	}
	e.end('}')
}

func putValue(e *encoder, v reflect.Value) { e.value(v.Interface()) }

func sortedKeys(v reflect.Value) []reflect.Value {
	keys := v.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return cmp.Compare(a.String(), b.String()) })
	return keys
}
