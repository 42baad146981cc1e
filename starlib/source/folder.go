package source

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
	"unicode/utf8"
)

// MaxSize bounds a file of an experiment.
const MaxSize = 1 << 20

// A Folder is the folder of an experiment, opened.
type Folder struct {
	root *os.Root
	dir  string
}

// Open opens the folder of the experiment file at name, and returns the file's
// own name within it.
func Open(name string) (*Folder, string, error) {
	dir, base := filepath.Split(name)
	if dir == "" {
		dir = "."
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, "", plainError(err)
	}
	return &Folder{root: root, dir: filepath.Clean(dir)}, base, nil
}

// Close closes the folder.
func (f *Folder) Close() error { return f.root.Close() }

// Display is how a file of the folder is shown in messages.
func (f *Folder) Display(name string) string {
	if f.dir == "." {
		return name
	}
	return filepath.Join(f.dir, filepath.FromSlash(name))
}

// Main reads the experiment file itself, which the user named and which may
// therefore be a symbolic link to anywhere.
func (f *Folder) Main(name string) ([]byte, error) {
	file, err := os.OpenFile(filepath.Join(f.dir, name), os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, plainError(err)
	}
	return readAll(file)
}

// Read reads a file that the experiment loads.
func (f *Folder) Read(name string) ([]byte, error) {
	if err := checkName(name); err != nil {
		return nil, err
	}
	file, err := f.root.OpenFile(filepath.FromSlash(name), os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, plainError(err)
	}
	return readAll(file)
}

func checkName(name string) error {
	switch {
	case name == "" || strings.ContainsRune(name, 0) || !utf8.ValidString(name):
		return errors.New("not a file name")
	case path.IsAbs(name):
		return errors.New("absolute names are refused: only files beside the experiment can be loaded")
	case !fs.ValidPath(name):
		return errors.New(`write the name plainly, without "..", "." or doubled slashes: only files beside the experiment can be loaded`)
	}
	return nil
}

// readAll reads a regular file of bounded size and closes it.
func readAll(file *os.File) (content []byte, err error) {
	defer func() { err = errors.Join(err, file.Close()) }()
	info, err := file.Stat()
	if err != nil {
		return nil, plainError(err)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("not a regular file but %s", kind(info.Mode()))
	}
	content, err = io.ReadAll(io.LimitReader(file, MaxSize+1))
	if err != nil {
		return nil, plainError(err)
	}
	if len(content) > MaxSize {
		return nil, fmt.Errorf("larger than %d KiB", MaxSize>>10)
	}
	if !utf8.Valid(content) {
		return nil, fmt.Errorf("not UTF-8 text (line %d)", invalidLine(content))
	}
	return content, nil
}

func invalidLine(content []byte) int {
	at := 0
	for at < len(content) {
		r, size := utf8.DecodeRune(content[at:])
		if r == utf8.RuneError && size == 1 {
			break
		}
		at += size
	}
	return 1 + bytes.Count(content[:at], []byte("\n"))
}

func kind(m fs.FileMode) string {
	switch {
	case m.IsDir():
		return "a folder"
	case m&fs.ModeNamedPipe != 0:
		return "a pipe"
	case m&fs.ModeDevice != 0:
		return "a device"
	case m&fs.ModeSocket != 0:
		return "a socket"
	}
	return "a special file"
}

// plainError leaves out the path, which the message around it names.
func plainError(err error) error {
	var at *fs.PathError
	if !errors.As(err, &at) {
		return err
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errors.New("no such file")
	case strings.Contains(at.Err.Error(), "escapes"):
		return errors.New("it leads out of the experiment's folder: only files beside the experiment can be loaded")
	}
	return at.Err
}
