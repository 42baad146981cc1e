package sample

import (
	"bytes"
	"errors"
	"os"
	"syscall"
)

// A counterFile is a file of the kernel that is read again and again: it stays
// open, since finding and opening it costs more than reading it.
type counterFile struct {
	path string
	open bool
	fd   int
	text []byte
}

const (
	firstText = 8 << 10 // holds most files of counters whole
	lastPiece = 2 << 10 // less than that was the end of a file: whole lines come, up to a page at once
)

// read returns the file's content, until the next read.
func (c *counterFile) read() ([]byte, error) {
	if !c.open {
		fd, err := syscall.Open(c.path, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
		if err != nil {
			return nil, &os.PathError{Op: "open", Path: c.path, Err: err}
		}
		c.open, c.fd, c.text = true, fd, make([]byte, firstText)
	}
	for {
		length, err := c.fill()
		switch {
		case err != nil:
			return nil, errors.Join(err, c.close())
		case length < len(c.text):
			return c.text[:length], nil
		}
		c.text = make([]byte, 2*len(c.text))
	}
}

// fill reads from the file's start. It returns the length of the text where there
// may be more.
func (c *counterFile) fill() (length int, err error) {
	for length < len(c.text) {
		n, err := syscall.Pread(c.fd, c.text[length:], int64(length))
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case err != nil:
			return length, &os.PathError{Op: "read", Path: c.path, Err: err}
		}
		length += n
		if n < lastPiece {
			break
		}
	}
	return length, nil
}

func (c *counterFile) close() error {
	if !c.open {
		return nil
	}
	c.open = false
	return syscall.Close(c.fd)
}

// cutLine takes the first line off a text.
func cutLine(text []byte) (line, rest []byte) {
	line, rest, _ = bytes.Cut(text, []byte{'\n'})
	return line, rest
}

// cutWord takes the first word off a line.
func cutWord(line []byte) (word, rest []byte) {
	start := 0
	for start < len(line) && (line[start] == ' ' || line[start] == '\t') {
		start++
	}
	end := start
	for end < len(line) && line[end] != ' ' && line[end] != '\t' {
		end++
	}
	return line[start:end], line[end:]
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
