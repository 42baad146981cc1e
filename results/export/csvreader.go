package export

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// A csvReader reads cells and remembers whether they were quoted.
type csvReader struct {
	in   *bufio.Reader
	line int
}

// row returns the next row, or io.EOF.
func (p *csvReader) row() ([]cell, error) {
	if _, err := p.in.Peek(1); err != nil {
		return nil, err
	}
	var row []cell
	for {
		c, more, err := p.cell()
		if err != nil {
			return nil, err
		}
		if !utf8.ValidString(c.text) {
			return nil, fmt.Errorf("csv:%d: is not UTF-8", c.line)
		}
		if row = append(row, c); !more {
			return row, nil
		}
	}
}

// cell returns the next cell, and whether its row goes on.
func (p *csvReader) cell() (c cell, more bool, err error) {
	c.line = p.line
	var text strings.Builder
	for {
		b, err := p.in.ReadByte()
		switch {
		case errors.Is(err, io.EOF):
			c.text = text.String()
			return c, false, nil
		case err != nil:
			return c, false, err
		case b == '"' && text.Len() == 0 && !c.quoted:
			c.quoted = true
			if err := p.quoted(&text, c.line); err != nil {
				return c, false, err
			}
		case b == ',':
			c.text = text.String()
			return c, true, nil
		case b == '\n':
			p.line++
			c.text = strings.TrimSuffix(text.String(), "\r")
			return c, false, nil
		default:
			text.WriteByte(b)
		}
	}
}

// quoted reads up to the closing quote; two of them are one.
func (p *csvReader) quoted(text *strings.Builder, line int) error {
	for {
		b, err := p.in.ReadByte()
		if err != nil {
			return fmt.Errorf("csv:%d: a quote that is not closed", line)
		}
		if b == '\n' {
			p.line++
		}
		if b == '"' {
			if next, err := p.in.Peek(1); err != nil || next[0] != '"' {
				return nil
			}
			if _, err := p.in.Discard(1); err != nil {
				return err
			}
		}
		text.WriteByte(b)
	}
}
