package exact

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"mpf/engine"
	"mpf/results/record"
)

// MaxString is the most bytes of a text among values.
const MaxString = 64 << 10

// maxDepth bounds the nesting of lists in values.
const maxDepth = 32

// CheckValue returns why a value cannot be written, or nil.
func CheckValue(v engine.Value) error {
	e := encoder{}
	e.value(v)
	return e.err
}

// value appends a value under its tag.
func (e *encoder) value(v engine.Value) {
	switch v := v.(type) {
	case nil:
		e.b = append(e.b, "null"...)
	case bool:
		e.b = append(strconv.AppendBool(append(e.b, `{"b":`...), v), '}')
	case int64:
		e.b = append(strconv.AppendInt(append(e.b, `{"i":"`...), v, 10), `"}`...)
	case float64:
		e.b = append(strconv.AppendFloat(append(e.b, `{"f":"`...), v, 'g', -1, 64), `"}`...)
	case string:
		e.stringValue(v)
	case []engine.Value:
		e.list(v)
	case record.Opaque:
		e.b = append(e.b, `{"o":true}`...)
	default:
		if !e.opaque {
			e.fail("a value of type %T cannot be recorded", v)
		}
		e.b = append(e.b, `{"o":true}`...)
	}
}

func (e *encoder) list(items []engine.Value) {
	if e.depth++; e.depth > maxDepth {
		e.fail("lists nested more than %d deep", maxDepth)
		return
	}
	e.b = append(e.b, `{"l":[`...)
	for i, item := range items {
		if i > 0 {
			e.b = append(e.b, ',')
		}
		e.value(item)
	}
	e.b = append(e.b, `]}`...)
	e.depth--
}

func (e *encoder) stringValue(s string) {
	switch {
	case len(s) > MaxString:
		e.fail("a text of %d bytes is too long for a result, at most %d", len(s), MaxString)
	case !utf8.ValidString(s):
		e.fail("text that is not UTF-8: %q", strings.ToValidUTF8(s[:min(len(s), 40)], "\uFFFD"))
	}
	e.b = append(e.b, `{"s":`...)
	e.text(s)
	e.b = append(e.b, '}')
}

// value reads a value by its tag.
func (d *Decoder) value() engine.Value {
	if d.Literal("null") {
		return nil
	}
	if d.err != nil || len(d.b)-d.at < len(`{"x":`) {
		d.Fail("expected a value")
		return nil
	}
	head := string(d.b[d.at : d.at+5])
	tag := head[2]
	if head[:2] != `{"` || head[3:] != `":` {
		d.Fail("expected a value")
		return nil
	}
	d.at += len(head)
	switch tag {
	case 'b':
		return d.closed(d.bool())
	case 'i':
		i, err := strconv.ParseInt(string(d.Text()), 10, 64)
		return d.parsed(i, err)
	case 'f':
		f, err := strconv.ParseFloat(string(d.Text()), 64)
		return d.parsed(f, err)
	case 's':
		return d.closed(string(d.Text()))
	case 'l':
		return d.closed(d.list())
	case 'o':
		d.bool()
		return d.closed(record.Opaque{})
	}
	d.Fail("unknown tag %q of a value", tag)
	return nil
}

func (d *Decoder) parsed(v engine.Value, err error) engine.Value {
	if err != nil {
		d.Fail("%v", err)
	}
	return d.closed(v)
}

func (d *Decoder) closed(v engine.Value) engine.Value {
	d.Expect('}')
	return v
}

func (d *Decoder) list() engine.Value {
	if d.depth++; d.depth > maxDepth {
		d.Fail("lists nested more than %d deep", maxDepth)
	}
	d.Expect('[')
	items := []engine.Value{}
	for d.Another(']', len(items) == 0) {
		items = append(items, d.value())
	}
	d.depth--
	return items
}
