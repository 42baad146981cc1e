package wire

import (
	"bytes"
	"encoding/json"
	"strconv"
	"time"
)

// A plainReader reads JSON without spaces, and nothing that is not in the lists
// it is given. Whatever else it meets is odd: then nothing that it read counts.
type plainReader struct {
	rest []byte
	odd  bool
}

// object reads an object into its fields.
func (p *plainReader) object(list []field) {
	p.take('{')
	if p.next('}') {
		return
	}
	for !p.odd {
		name := p.token()
		p.take(':')
		f := find(list, name)
		if f == nil {
			p.odd = true
			return
		}
		p.value(f.at)
		if p.next('}') {
			return
		}
		p.take(',')
	}
}

// find a field by its name as it stands in the text, in quotes.
func find(list []field, quoted []byte) *field {
	for i := range list {
		name := list[i].name
		if len(quoted) == len(name)+2 && string(quoted[1:len(name)+1]) == name {
			return &list[i]
		}
	}
	return nil
}

func (p *plainReader) value(at any) {
	switch v := at.(type) {
	case *string:
		*v = p.text()
	case *Operation:
		*v = Operation(p.text())
	case *int:
		*v = int(p.number(strconv.IntSize))
	case *int64:
		*v = p.number(64)
	case *uint32:
		n := p.number(64)
		*v = uint32(n)
		p.odd = p.odd || int64(*v) != n
	case *time.Duration:
		*v = time.Duration(p.number(64))
	case *float64:
		text := p.digits()
		n, err := strconv.ParseFloat(string(text), 64)
		*v, p.odd = n, p.odd || err != nil || !json.Valid(text)
	case *bool:
		*v = p.word("true")
	case *[]string:
		*v = p.texts()
	case **Command:
		if *v == nil {
			*v = new(Command)
		}
		p.object((*v).fields())
	case **Exit:
		if *v == nil {
			*v = new(Exit)
		}
		p.object((*v).fields())
	case *Captured:
		p.object(v.fields())
	case *Usage:
		p.object(v.fields())
	default:
		p.odd = true
	}
}

// next takes a byte if it comes next.
func (p *plainReader) next(c byte) bool {
	if p.odd || len(p.rest) == 0 || p.rest[0] != c {
		return false
	}
	p.rest = p.rest[1:]
	return true
}

// take takes a byte that must come next.
func (p *plainReader) take(c byte) {
	if !p.next(c) {
		p.odd = true
	}
}

func (p *plainReader) word(w string) bool {
	rest, ok := bytes.CutPrefix(p.rest, []byte(w))
	p.rest, p.odd = rest, p.odd || !ok
	return ok
}

// number reads an integer of so many bits, written as strconv does.
func (p *plainReader) number(bits int) int64 {
	text := p.digits()
	n, err := strconv.ParseInt(string(text), 10, bits)
	var again [20]byte
	p.odd = p.odd || err != nil || !bytes.Equal(text, strconv.AppendInt(again[:0], n, 10))
	return n
}

// digits takes all that may belong to a number.
func (p *plainReader) digits() []byte {
	n := 0
	for n < len(p.rest) && bytes.IndexByte([]byte("+-.0123456789Ee"), p.rest[n]) >= 0 {
		n++
	}
	text := p.rest[:n]
	p.rest = p.rest[n:]
	return text
}

// token takes a string as it stands, in its quotes.
func (p *plainReader) token() []byte {
	for i := 1; i < len(p.rest) && p.rest[0] == '"'; i++ {
		switch p.rest[i] {
		case '\\':
			i++
		case '"':
			text := p.rest[:i+1]
			p.rest = p.rest[i+1:]
			return text
		}
	}
	p.odd = true
	return nil
}

func (p *plainReader) text() string {
	quoted := p.token()
	if p.odd {
		return ""
	}
	for _, c := range quoted[1 : len(quoted)-1] {
		if !plainByte(c) {
			var s string
			p.odd = json.Unmarshal(quoted, &s) != nil
			return s
		}
	}
	return string(quoted[1 : len(quoted)-1])
}

func (p *plainReader) texts() []string {
	p.take('[')
	all := make([]string, 0, 8)
	if p.next(']') {
		return all
	}
	for !p.odd {
		all = append(all, p.text())
		if p.next(']') {
			return all
		}
		p.take(',')
	}
	return all
}
