package transfer

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Kind says what an entry is.
type Kind string

const (
	File   Kind = "file"
	Folder Kind = "folder"
	Link   Kind = "link"
)

// An Entry is a file, a folder or a symbolic link of what is sent. The first
// one, named ".", is what the whole is.
type Entry struct {
	Path   string      `json:"path"` // with slashes, below the first entry
	Kind   Kind        `json:"kind"`
	Mode   fs.FileMode `json:"mode"`
	Size   int64       `json:"size,omitempty"`
	Target string      `json:"target,omitempty"`
}

// limits of what a receiver takes from a sender.
const (
	maxEntries = 1 << 20
	maxLine    = 128 << 20
)

// manifest is the sender's first line.
type manifest struct {
	Entries []Entry `json:"entries"`
	Error   string  `json:"error,omitempty"` // nothing follows
}

// holdings is the receiver's answer: the hash of each file that it may have
// already, by index.
type holdings struct {
	Have  map[int]string `json:"have,omitempty"`
	Error string         `json:"error,omitempty"`
}

// selection says which files follow, by index.
type selection struct {
	Send []int `json:"send"`
}

// verdict is the receiver's last line.
type verdict struct {
	Error string `json:"error,omitempty"`
}

// check refuses entries that a host could do harm with.
func (m manifest) check() error {
	if len(m.Entries) == 0 || len(m.Entries) > maxEntries || m.Entries[0].Path != "." {
		return fmt.Errorf("a list of %d files that begins wrongly", len(m.Entries))
	}
	for i, e := range m.Entries {
		if i > 0 && (e.Path == "." || m.Entries[0].Kind != Folder) {
			return fmt.Errorf("file %q is not in a folder", e.Path)
		}
		if err := checkName(e.Path); err != nil {
			return err
		}
		if err := checkEntry(e); err != nil {
			return err
		}
	}
	return nil
}

func checkEntry(e Entry) error {
	switch e.Kind {
	case File:
		if e.Size < 0 {
			return fmt.Errorf("file %q has a size of %d", e.Path, e.Size)
		}
	case Folder:
	case Link:
		if path.IsAbs(e.Target) || !fs.ValidPath(path.Join(path.Dir(e.Path), e.Target)) {
			return fmt.Errorf("link %q leads to %q, outside of what is copied", e.Path, e.Target)
		}
	default:
		return fmt.Errorf("%q is of unknown kind %q", e.Path, e.Kind)
	}
	return nil
}

func checkName(name string) error {
	if !fs.ValidPath(name) || !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl) {
		return fmt.Errorf("file name %q is refused", name)
	}
	return nil
}

func writeLine(w io.Writer, v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = w.Write(append(line, '\n'))
	return err
}

func readLine(r *bufio.Reader, v any) error {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		if err == nil {
			break
		}
		if err != bufio.ErrBufferFull {
			return unexpected(err)
		}
		if len(line) > maxLine {
			return fmt.Errorf("a line of more than %d bytes", maxLine)
		}
	}
	return json.Unmarshal(line, v)
}

func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
