package wire

import (
	"encoding/json"
	"math"
	"strconv"
	"time"
	"unicode/utf8"
)

// Messages about commands come and go with every step, and a general decoder
// takes its time over them on a host that is being measured. Theirs are written
// and read here by lists of fields; what is not written as here is left to
// encoding/json, which reads and writes the same texts.

// A field is a member of a JSON object: its name, and a pointer to what holds
// its value. What is zero is not written. Lists are arrays where they can be:
// they need no memory of the heap.
type field struct {
	name string
	at   any
}

// A listed message has such a list.
type listed interface {
	// fields of the message, and whether they are all that it holds. Of a message
	// that is zero they are all that may be read.
	fields() (list []field, all bool)
}

// marshal writes a message's head.
func marshal(v any) ([]byte, error) {
	if l, ok := v.(listed); ok {
		if list, all := l.fields(); all {
			if text, ok := appendObject(make([]byte, 0, 256), list); ok {
				return text, nil
			}
		}
	}
	return json.Marshal(v)
}

// unmarshal reads a message's head into v, which is zero.
func unmarshal(text []byte, v any) error {
	if l, ok := v.(listed); ok {
		list, _ := l.fields()
		p := plainReader{rest: text}
		if p.object(list); !p.odd && len(p.rest) == 0 {
			return nil
		}
	}
	return json.Unmarshal(text, v)
}

// appendObject writes an object; not ok if JSON has no text for it.
func appendObject(b []byte, list []field) ([]byte, bool) {
	b = append(b, '{')
	for _, f := range list {
		begin := len(b)
		if b[begin-1] != '{' {
			b = append(b, ',')
		}
		b = append(append(append(b, '"'), f.name...), `":`...)
		value := len(b)
		var ok bool
		if b, ok = appendValue(b, f.at); !ok {
			return b, false
		}
		if len(b) == value {
			b = b[:begin]
		}
	}
	return append(b, '}'), true
}

// appendValue writes a value, and nothing if it is zero.
func appendValue(b []byte, at any) ([]byte, bool) {
	switch v := at.(type) {
	case *string:
		return appendText(b, *v)
	case *Operation:
		return appendText(b, string(*v))
	case *int:
		return appendNumber(b, int64(*v)), true
	case *int64:
		return appendNumber(b, *v), true
	case *uint32:
		return appendNumber(b, int64(*v)), true
	case *time.Duration:
		return appendNumber(b, int64(*v)), true
	case *float64:
		if *v == 0 || math.IsNaN(*v) || math.IsInf(*v, 0) {
			return b, *v == 0
		}
		return strconv.AppendFloat(b, *v, 'g', -1, 64), true
	case *bool:
		if *v {
			b = append(b, "true"...)
		}
		return b, true
	case *[]string:
		return appendTexts(b, *v)
	case **Command:
		if *v == nil {
			return b, true
		}
		list := (*v).fields()
		return appendObject(b, list[:])
	case **Exit:
		if *v == nil {
			return b, true
		}
		list := (*v).fields()
		return appendObject(b, list[:])
	case *Captured:
		list := v.fields()
		return appendObject(b, list[:])
	case *Usage:
		list := v.fields()
		return appendObject(b, list[:])
	}
	return b, false
}

func appendNumber(b []byte, n int64) []byte {
	if n == 0 {
		return b
	}
	return strconv.AppendInt(b, n, 10)
}

func appendText(b []byte, s string) ([]byte, bool) {
	if s == "" {
		return b, true
	}
	return appendQuoted(b, s)
}

func appendQuoted(b []byte, s string) ([]byte, bool) {
	for i := range len(s) {
		if !plainByte(s[i]) {
			quoted, err := json.Marshal(s)
			return append(b, quoted...), err == nil
		}
	}
	return append(append(append(b, '"'), s...), '"'), true
}

func appendTexts(b []byte, all []string) ([]byte, bool) {
	if len(all) == 0 {
		return b, true
	}
	ok := true
	for i, s := range all {
		b = append(b, "[,"[min(i, 1)])
		if b, ok = appendQuoted(b, s); !ok {
			return b, false
		}
	}
	return append(b, ']'), true
}

// plainByte reports whether a byte stands for itself in a JSON string.
func plainByte(c byte) bool {
	return c >= ' ' && c < utf8.RuneSelf && c != '"' && c != '\\'
}
