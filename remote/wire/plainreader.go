package wire

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
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
	for at := 0; !p.odd; at++ {
		name := p.token()
		p.take(':')
		if at = find(list, at, name); at < 0 {
			p.odd = true
			return
		}
		p.value(list[at].at)
		if p.next('}') {
			return
		}
		p.take(',')
	}
}

// find a field by its name as it stands in the text, in quotes. Most often it is
// soon after the one before.
func find(list []field, at int, quoted []byte) int {
	for range list {
		if at >= len(list) {
			at = 0
		}
		name := list[at].name
		if len(quoted) == len(name)+2 && string(quoted[1:len(name)+1]) == name {
			return at
		}
		at++
	}
	return -1
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
		*v = p.real()
	case *bool:
		*v = p.word("true")
	case *[]string:
		*v = p.texts()
	case **Command:
		if *v == nil {
			*v = new(Command)
		}
		list := (*v).fields()
		p.object(list[:])
	case **Exit:
		if *v == nil {
			*v = new(Exit)
		}
		list := (*v).fields()
		p.object(list[:])
	case *Captured:
		list := v.fields()
		p.object(list[:])
	case *Usage:
		list := v.fields()
		p.object(list[:])
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
	figures, negative := bytes.CutPrefix(text, []byte{'-'})
	var n uint64 // 19 figures do not overflow it
	for _, c := range figures {
		n = 10*n + uint64(c-'0')
		p.odd = p.odd || !isFigure(c)
	}
	p.odd = p.odd || len(figures) == 0 || len(figures) > 19 || n>>(bits-1) != 0 || figures[0] == '0' && len(text) > 1
	if negative {
		return -int64(n)
	}
	return int64(n)
}

// real reads what strconv takes for a number, if JSON does as well.
func (p *plainReader) real() float64 {
	text := p.digits()
	n, err := strconv.ParseFloat(string(text), 64)
	p.odd = p.odd || err != nil || !pointed(bytes.TrimPrefix(text, []byte{'-'}))
	return n
}

// pointed reports whether a number has figures on both sides of its point, and
// no zero before others.
func pointed(text []byte) bool {
	n := 0
	for n < len(text) && isFigure(text[n]) {
		n++
	}
	rest := text[n:]
	return n > 0 && (n == 1 || text[0] != '0') && (len(rest) == 0 || rest[0] != '.' || len(rest) > 1 && isFigure(rest[1]))
}

func isFigure(c byte) bool { return '0' <= c && c <= '9' }

// digits takes all that may belong to a number.
func (p *plainReader) digits() []byte {
	n := 0
	for n < len(p.rest) && (isFigure(p.rest[n]) || strings.IndexByte("+-.Ee", p.rest[n]) >= 0) {
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
