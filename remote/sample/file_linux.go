package sample

import (
	"bytes"
	"errors"
	"io"
	"os"
)

// A counterFile is a file of the kernel that is read again and again: it stays
// open, since finding and opening it costs more than reading it.
type counterFile struct {
	path string
	file *os.File
	text []byte
}

// firstText holds most files of counters whole.
const firstText = 8 << 10

// read returns the file's content, until the next read.
func (c *counterFile) read() ([]byte, error) {
	if c.file == nil {
		f, err := os.Open(c.path)
		if err != nil {
			return nil, err
		}
		c.file, c.text = f, make([]byte, firstText)
	}
	for {
		n, err := c.file.ReadAt(c.text, 0)
		switch {
		case errors.Is(err, io.EOF):
			return c.text[:n], nil
		case err != nil:
			return nil, errors.Join(err, c.close())
		}
		c.text = make([]byte, 2*len(c.text))
	}
}

func (c *counterFile) close() error {
	if c.file == nil {
		return nil
	}
	err := c.file.Close()
	c.file = nil
	return err
}

// cutLine takes the first line off a text.
func cutLine(text []byte) (line, rest []byte) {
	line, rest, _ = bytes.Cut(text, []byte{'\n'})
	return line, rest
}

// cutWord takes the first word off a line.
func cutWord(line []byte) (word, rest []byte) {
	line = bytes.TrimLeft(line, " \t")
	if end := bytes.IndexAny(line, " \t"); end >= 0 {
		return line[:end], line[end:]
	}
	return line, nil
}

// cutNumber takes a counter off a line; ok says that there was one.
func cutNumber(line []byte) (n uint64, rest []byte, ok bool) {
	word, rest := cutWord(line)
	for _, digit := range word {
		if digit < '0' || digit > '9' {
			return 0, rest, false
		}
		n = 10*n + uint64(digit-'0')
	}
	return n, rest, len(word) > 0
}
