package exact

import (
	"bytes"
	"reflect"
)

// Passed is the type of a field that is not read: what was written of it is
// passed over, without a look at more than where it ends.
type Passed struct{}

func putPassed(*encoder, reflect.Value) {} // a field without a value is not written

func getPassed(d *Decoder, _ reflect.Value) {
	switch d.peek() {
	case '{', '[':
		d.at++
		d.PassRest()
	case '"':
		d.passText()
	default:
		d.passWord()
	}
}

// PassRest passes over the rest of the object or list that the decoder is in.
func (d *Decoder) PassRest() {
	for depth := 1; d.err == nil; {
		switch d.peek() {
		case '"':
			d.passText()
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		case 0:
			d.Fail("an object or a list without an end")
			return
		}
		if d.at++; depth == 0 {
			return
		}
	}
}

// passText passes over a string.
func (d *Decoder) passText() {
	d.at++
	for {
		i := bytes.IndexByte(d.b[d.at:], '"')
		if i < 0 {
			d.Fail("text without an end")
			return
		}
		text := d.b[d.at : d.at+i]
		d.at += i + 1
		if slashes := len(text) - len(bytes.TrimRight(text, `\`)); slashes%2 == 0 {
			return
		}
	}
}

// passWord passes over a number, true, false or null.
func (d *Decoder) passWord() {
	start := d.at
	for d.at < len(d.b) && (inNumber(d.b[d.at]) || d.b[d.at] >= 'a' && d.b[d.at] <= 'z') {
		d.at++
	}
	if d.at == start {
		d.Fail("expected a value")
	}
}
