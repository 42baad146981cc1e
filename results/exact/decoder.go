package exact

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"reflect"
	"strconv"
	"time"
	"unicode/utf8"

	"mpf/engine"
)

// maxNames bounds the names that a Decoder remembers.
const maxNames = 4096

// A Decoder reads what an encoder wrote and nothing else. Its first error
// sticks; after it every read does nothing.
type Decoder struct {
	b     []byte
	at    int
	depth int
	names map[string]string // see name
	many  int               // results of the attempt read last
	err   error
}

// Reset begins with another text. Names that were seen are remembered.
func (d *Decoder) Reset(b []byte) { *d = Decoder{b: b, names: d.names, many: d.many} }

// At returns the offset of what comes next.
func (d *Decoder) At() int { return d.at }

// Err returns the first error.
func (d *Decoder) Err() error { return d.err }

// End returns the first error, or one if anything is left.
func (d *Decoder) End() error {
	if d.err == nil && d.at != len(d.b) {
		d.Fail("bytes after the end")
	}
	return d.err
}

// Fail makes the decoder fail where it is.
func (d *Decoder) Fail(format string, args ...any) {
	if d.err == nil {
		d.err = fmt.Errorf("byte %d: %s", d.at, fmt.Sprintf(format, args...))
	}
}

func (d *Decoder) peek() byte {
	if d.err != nil || d.at >= len(d.b) {
		return 0
	}
	return d.b[d.at]
}

// Expect takes a byte.
func (d *Decoder) Expect(c byte) {
	if d.err == nil && d.at < len(d.b) && d.b[d.at] == c {
		d.at++
		return
	}
	d.Fail("expected %q", c)
}

// Literal takes the text if it comes next.
func (d *Decoder) Literal(text string) bool {
	end := d.at + len(text)
	if d.err != nil || end > len(d.b) || string(d.b[d.at:end]) != text {
		return false
	}
	d.at = end
	return true
}

// Another reports whether another item comes before the closing byte, which it
// takes, as it takes the comma before an item that is not the first.
func (d *Decoder) Another(closing byte, first bool) bool {
	if d.err != nil {
		return false
	}
	if d.peek() == closing {
		d.at++
		return false
	}
	if !first {
		d.Expect(',')
	}
	return d.err == nil
}

func (d *Decoder) key() []byte {
	text := d.Text()
	d.Expect(':')
	return text
}

// Text reads a string. The bytes are valid until the next change of d.b.
func (d *Decoder) Text() []byte {
	d.Expect('"')
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
			d.Fail("control byte in a text")
			return nil
		}
		text := d.b[d.at : d.at+i]
		d.at += i + 1
		if high >= utf8.RuneSelf && !utf8.Valid(text) {
			d.Fail("text that is not UTF-8")
		}
		return text
	}
	d.Fail("text without an end")
	return nil
}

// name reads the key of a member as a string. Names come again and again: each
// is made once.
func (d *Decoder) name() string {
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
func (d *Decoder) escaped(i int) []byte {
	text := bytes.Clone(d.b[d.at:i])
	for ; i < len(d.b); i++ {
		c := d.b[i]
		switch {
		case c == '"':
			d.at = i + 1
			if !utf8.Valid(text) {
				d.Fail("text that is not UTF-8")
			}
			return text
		case c < 0x20:
			d.Fail("control byte in a text")
			return nil
		case c == '\\':
			r, size := unescape(d.b[i:])
			if size == 0 {
				d.Fail("unknown escape in a text")
				return nil
			}
			text = append(text, r)
			i += size - 1
		default:
			text = append(text, c)
		}
	}
	d.Fail("text without an end")
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
func (d *Decoder) number() string {
	if d.peek() == '"' {
		return string(d.Text())
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

func getInt(d *Decoder, v reflect.Value) {
	i, err := strconv.ParseInt(d.number(), 10, v.Type().Bits())
	if err != nil {
		d.Fail("%v", err)
	}
	v.SetInt(i)
}

func getUint(d *Decoder, v reflect.Value) {
	u, err := strconv.ParseUint(d.number(), 10, v.Type().Bits())
	if err != nil {
		d.Fail("%v", err)
	}
	v.SetUint(u)
}

func getFloat(d *Decoder, v reflect.Value) {
	f, err := strconv.ParseFloat(d.number(), 64)
	if err != nil {
		d.Fail("%v", err)
	}
	v.SetFloat(f)
}

func getBool(d *Decoder, v reflect.Value) { v.SetBool(d.bool()) }

func (d *Decoder) bool() bool {
	if d.Literal("true") {
		return true
	}
	if !d.Literal("false") {
		d.Fail("expected true or false")
	}
	return false
}

func getString(d *Decoder, v reflect.Value) { v.SetString(string(d.Text())) }

func getTime(d *Decoder, v reflect.Value) {
	t, err := time.Parse(time.RFC3339Nano, string(d.Text()))
	if err != nil {
		d.Fail("%v", err)
	}
	v.Set(reflect.ValueOf(t.UTC()))
}

func getRunID(d *Decoder, v reflect.Value) {
	text := d.Text()
	if d.err != nil || len(text) != 2*len(engine.RunID{}) {
		d.Fail("run id %q", text)
		return
	}
	if _, err := hex.Decode(v.Slice(0, v.Len()).Bytes(), text); err != nil {
		d.Fail("run id %q", text)
	}
}

func getResults(d *Decoder, v reflect.Value) {
	d.Expect('{')
	results := make(engine.Results, 0, d.many)
	for d.Another('}', len(results) == 0) {
		name := d.name()
		results = append(results, engine.NamedValue{Name: name, Value: d.value()})
	}
	d.many = len(results)
	v.Set(reflect.ValueOf(results))
}

func getValue(d *Decoder, v reflect.Value) {
	if value := d.value(); value != nil {
		v.Set(reflect.ValueOf(value))
	}
}
