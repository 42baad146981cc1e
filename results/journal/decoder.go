package journal

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"reflect"
	"strconv"
	"time"
	"unicode/utf8"

	"mpf/engine"
	"mpf/results/record"
)

// maxDepth bounds the nesting of lists in values.
const maxDepth = 32

// maxNames bounds the names that a decoder remembers.
const maxNames = 4096

// A decoder reads what an encoder wrote and nothing else. Its first error
// sticks; after it every read does nothing.
type decoder struct {
	b     []byte
	at    int
	depth int
	names map[string]string // see name
	many  int               // results of the attempt read last
	err   error
}

func (d *decoder) fail(format string, args ...any) {
	if d.err == nil {
		d.err = fmt.Errorf("byte %d: %s", d.at, fmt.Sprintf(format, args...))
	}
}

func (d *decoder) peek() byte {
	if d.err != nil || d.at >= len(d.b) {
		return 0
	}
	return d.b[d.at]
}

func (d *decoder) expect(c byte) {
	if d.err == nil && d.at < len(d.b) && d.b[d.at] == c {
		d.at++
		return
	}
	d.fail("expected %q", c)
}

// literal takes the text if it comes next.
func (d *decoder) literal(text string) bool {
	end := d.at + len(text)
	if d.err != nil || end > len(d.b) || string(d.b[d.at:end]) != text {
		return false
	}
	d.at = end
	return true
}

// another reports whether another item comes before the closing byte, which it
// takes, as it takes the comma before an item that is not the first.
func (d *decoder) another(closing byte, first bool) bool {
	if d.err != nil {
		return false
	}
	if d.peek() == closing {
		d.at++
		return false
	}
	if !first {
		d.expect(',')
	}
	return d.err == nil
}

func (d *decoder) key() []byte {
	text := d.text()
	d.expect(':')
	return text
}

// text reads a string. The bytes are valid until the next change of d.b.
func (d *decoder) text() []byte {
	d.expect('"')
	if d.err != nil {
		return nil
	}
	var high byte
	for i, c := range d.b[d.at:] {
		if c >= ' ' && c != '"' && c != '\\' {
			high |= c
			continue
		}
		if c == '\\' {
			return d.escaped(d.at + i)
		}
		if c < ' ' {
			d.fail("control byte in a text")
			return nil
		}
		text := d.b[d.at : d.at+i]
		d.at += i + 1
		if high >= utf8.RuneSelf && !utf8.Valid(text) {
			d.fail("text that is not UTF-8")
		}
		return text
	}
	d.fail("text without an end")
	return nil
}

// name reads the key of a member as a string. Names come again and again: each
// is made once.
func (d *decoder) name() string {
	key := d.key()
	if name, ok := d.names[string(key)]; ok {
		return name
	}
	name := string(key)
	if d.names == nil || len(d.names) > maxNames {
		d.names = map[string]string{}
	}
	d.names[name] = name
	return name
}

// escaped reads the rest of a string whose first escape is at i.
func (d *decoder) escaped(i int) []byte {
	text := bytes.Clone(d.b[d.at:i])
	for ; i < len(d.b); i++ {
		c := d.b[i]
		switch {
		case c == '"':
			d.at = i + 1
			if !utf8.Valid(text) {
				d.fail("text that is not UTF-8")
			}
			return text
		case c < 0x20:
			d.fail("control byte in a text")
			return nil
		case c == '\\':
			r, size := unescape(d.b[i:])
			if size == 0 {
				d.fail("unknown escape in a text")
				return nil
			}
			text = append(text, r)
			i += size - 1
		default:
			text = append(text, c)
		}
	}
	d.fail("text without an end")
	return nil
}

func unescape(b []byte) (c byte, size int) {
	if len(b) >= 2 && (b[1] == '"' || b[1] == '\\') {
		return b[1], 2
	}
	if len(b) >= 6 && string(b[1:4]) == "u00" {
		if u, err := strconv.ParseUint(string(b[4:6]), 16, 8); err == nil && u < 0x20 {
			return byte(u), 6
		}
	}
	return 0, 0
}

// number returns the text of a number, which may stand in quotes.
func (d *decoder) number() string {
	if d.peek() == '"' {
		return string(d.text())
	}
	start := d.at
	for d.at < len(d.b) && inNumber(d.b[d.at]) {
		d.at++
	}
	return string(d.b[start:d.at])
}

func inNumber(c byte) bool {
	return c >= '0' && c <= '9' || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E'
}

func getInt(d *decoder, v reflect.Value) {
	i, err := strconv.ParseInt(d.number(), 10, v.Type().Bits())
	if err != nil {
		d.fail("%v", err)
	}
	v.SetInt(i)
}

func getUint(d *decoder, v reflect.Value) {
	u, err := strconv.ParseUint(d.number(), 10, v.Type().Bits())
	if err != nil {
		d.fail("%v", err)
	}
	v.SetUint(u)
}

func getFloat(d *decoder, v reflect.Value) {
	f, err := strconv.ParseFloat(d.number(), 64)
	if err != nil {
		d.fail("%v", err)
	}
	v.SetFloat(f)
}

func getBool(d *decoder, v reflect.Value) { v.SetBool(d.bool()) }

func (d *decoder) bool() bool {
	if d.literal("true") {
		return true
	}
	if !d.literal("false") {
		d.fail("expected true or false")
	}
	return false
}

func getString(d *decoder, v reflect.Value) { v.SetString(string(d.text())) }

func getTime(d *decoder, v reflect.Value) {
	t, err := time.Parse(time.RFC3339Nano, string(d.text()))
	if err != nil {
		d.fail("%v", err)
	}
	v.Set(reflect.ValueOf(t.UTC()))
}

func getRunID(d *decoder, v reflect.Value) {
	text := d.text()
	if d.err != nil || len(text) != 2*len(engine.RunID{}) {
		d.fail("run id %q", text)
		return
	}
	if _, err := hex.Decode(v.Slice(0, v.Len()).Bytes(), text); err != nil {
		d.fail("run id %q", text)
	}
}

func getResults(d *decoder, v reflect.Value) {
	d.expect('{')
	results := make(engine.Results, 0, d.many)
	for d.another('}', len(results) == 0) {
		name := d.name()
		results = append(results, engine.NamedValue{Name: name, Value: d.value()})
	}
	d.many = len(results)
	v.Set(reflect.ValueOf(results))
}

func getValue(d *decoder, v reflect.Value) {
	if value := d.value(); value != nil {
		v.Set(reflect.ValueOf(value))
	}
}

// value reads a value by its tag.
func (d *decoder) value() engine.Value {
	if d.literal("null") {
		return nil
	}
	if d.err != nil || len(d.b)-d.at < len(`{"x":`) {
		d.fail("expected a value")
		return nil
	}
	head := string(d.b[d.at : d.at+5])
	tag := head[2]
	if head[:2] != `{"` || head[3:] != `":` {
		d.fail("expected a value")
		return nil
	}
	d.at += len(head)
	switch tag {
	case 'b':
		return d.closed(d.bool())
	case 'i':
		i, err := strconv.ParseInt(string(d.text()), 10, 64)
		return d.parsed(i, err)
	case 'f':
		f, err := strconv.ParseFloat(string(d.text()), 64)
		return d.parsed(f, err)
	case 's':
		return d.closed(string(d.text()))
	case 'l':
		return d.closed(d.list())
	case 'o':
		d.bool()
		return d.closed(record.Opaque{})
	}
	d.fail("unknown tag %q of a value", tag)
	return nil
}

func (d *decoder) parsed(v engine.Value, err error) engine.Value {
	if err != nil {
		d.fail("%v", err)
	}
	return d.closed(v)
}

func (d *decoder) closed(v engine.Value) engine.Value {
	d.expect('}')
	return v
}

func (d *decoder) list() engine.Value {
	if d.depth++; d.depth > maxDepth {
		d.fail("lists nested more than %d deep", maxDepth)
	}
	d.expect('[')
	items := []engine.Value{}
	for d.another(']', len(items) == 0) {
		items = append(items, d.value())
	}
	d.depth--
	return items
}
