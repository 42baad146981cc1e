package wire

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Protocol is the version of what both ends say. An agent of another one is
// refused.
const Protocol = 1

const (
	magic        = "MPF1"
	maxPreamble  = 4 << 10
	maxGreeting  = 256
	noHash       = "-"
	askedForHash = "hash"
)

// A Greeting is the line with which the controller opens.
type Greeting struct {
	Token string // of this dial
	Hash  bool   // the agent shall say the hash of its binary
}

func (g Greeting) String() string {
	want := noHash
	if g.Hash {
		want = askedForHash
	}
	return fmt.Sprintf("%s %s %s %d\n", magic, g.Token, want, Protocol)
}

// A Preamble is the line with which the agent answers.
type Preamble struct {
	Token    string
	SHA256   string // of the agent's binary, or "-" where it was not asked for
	Protocol int
}

func (p Preamble) String() string {
	hash := p.SHA256
	if hash == "" {
		hash = noHash
	}
	return fmt.Sprintf("%s %s %s %d\n", magic, p.Token, hash, p.Protocol)
}

// ReadGreeting reads the controller's line and not a byte more.
func ReadGreeting(r io.Reader) (Greeting, error) {
	line, err := readLine(r, maxGreeting)
	if err != nil {
		return Greeting{}, err
	}
	words := strings.Fields(line)
	if len(words) != 4 || words[0] != magic {
		return Greeting{}, protocolErrorf("expected %s, got %q", magic, line)
	}
	return Greeting{Token: words[1], Hash: words[2] == askedForHash}, nil
}

// ReadPreamble reads the agent's line and not a byte more, and refuses one that
// does not answer the greeting. The error of anything else quotes it.
func ReadPreamble(r io.Reader, token string) (Preamble, error) {
	line, err := readLine(r, maxPreamble)
	if err != nil && line == "" {
		return Preamble{}, err
	}
	words := strings.Fields(line)
	if len(words) != 4 || words[0] != magic {
		return Preamble{}, protocolErrorf("expected %s, got %q (make the host's start-up files silent for non-interactive shells)", magic, shorten(line))
	}
	if words[1] != token {
		return Preamble{}, protocolErrorf("an agent that answers another dial")
	}
	version, err := strconv.Atoi(words[3])
	if err != nil || version != Protocol {
		return Preamble{}, protocolErrorf("an agent of protocol %q, where %d is spoken", words[3], Protocol)
	}
	return Preamble{Token: words[1], SHA256: words[2], Protocol: version}, nil
}

// readLine reads byte by byte: what follows the line belongs to frames.
func readLine(r io.Reader, limit int) (string, error) {
	var line bytes.Buffer
	one := make([]byte, 1)
	for line.Len() < limit {
		n, err := r.Read(one)
		if n == 1 {
			if one[0] == '\n' {
				return line.String(), nil
			}
			line.WriteByte(one[0])
		}
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return line.String(), err
		}
	}
	return line.String(), nil
}

func shorten(text string) string {
	if len(text) > 200 {
		return text[:200] + "..."
	}
	return text
}
