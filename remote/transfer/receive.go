package transfer

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
)

// Receive takes what the Send at the other end sends, under a path of this
// machine; missing folders on the way there are made.
func Receive(stream io.ReadWriter, to string) error {
	r := bufio.NewReader(stream) // small: pieces need not go through it
	var m manifest
	if err := readLine(r, &m); err != nil {
		return err
	}
	if m.Error != "" {
		return errors.New(m.Error)
	}
	d, err := prepare(m, to)
	if err != nil {
		// The other end is told so that it does not wait.
		return errors.Join(err, writeLine(stream, holdings{Error: err.Error()}))
	}
	defer d.root.Close()
	if err := writeLine(stream, holdings{Have: d.have(m.Entries)}); err != nil {
		return err
	}
	if err := d.take(r, m.Entries); err != nil {
		return errors.Join(err, writeLine(stream, verdict{Error: err.Error()}))
	}
	return writeLine(stream, verdict{})
}

// A destination is the folder in which all is written, and the name of the
// whole in it.
type destination struct {
	root *os.Root
	name string
}

func prepare(m manifest, to string) (*destination, error) {
	if err := m.check(); err != nil {
		return nil, err
	}
	folder, name := filepath.Split(filepath.Clean(to))
	if folder == "" {
		folder = "."
	}
	if name == "" || name == "." || name == ".." {
		return nil, fmt.Errorf("%q is no name for a copy", to)
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	d := &destination{root: root, name: name}
	if err := d.makeFolders(m.Entries); err != nil {
		root.Close()
		return nil, err
	}
	return d, nil
}

func (d *destination) path(e Entry) string { return path.Join(d.name, e.Path) }

func (d *destination) makeFolders(entries []Entry) error {
	for _, e := range entries {
		if e.Kind != Folder {
			continue
		}
		if info, err := d.root.Lstat(d.path(e)); err == nil && info.Mode().IsRegular() {
			return fmt.Errorf("there is a file %q in the place of a folder", d.path(e))
		}
		if err := d.root.MkdirAll(d.path(e), 0o755); err != nil {
			return err
		}
	}
	return nil
}

// have hashes files that are there with the size of those that may come.
func (d *destination) have(entries []Entry) map[int]string {
	have := map[int]string{}
	for i, e := range entries {
		info, err := d.root.Lstat(d.path(e))
		if e.Kind != File || err != nil || !info.Mode().IsRegular() || info.Size() != e.Size {
			continue
		}
		if f, err := d.root.Open(d.path(e)); err == nil {
			if sum, err := hash(f); err == nil {
				have[i] = sum
			}
			f.Close()
		}
	}
	return have
}

// take writes the files that come, then links, then the modes of all: those of
// folders last, since one may forbid writing.
func (d *destination) take(r *bufio.Reader, entries []Entry) error {
	var chosen selection
	if err := readLine(r, &chosen); err != nil {
		return err
	}
	for _, i := range chosen.Send {
		if i < 0 || i >= len(entries) || entries[i].Kind != File {
			return fmt.Errorf("file %d of %d was not listed", i, len(entries))
		}
		if err := d.takeFile(r, entries[i]); err != nil {
			return err
		}
	}
	for _, e := range entries {
		if e.Kind == Link {
			if err := d.link(e); err != nil {
				return err
			}
		}
	}
	for i := len(entries) - 1; i >= 0; i-- {
		if e := entries[i]; e.Kind != Link {
			if err := d.root.Chmod(d.path(e), e.Mode.Perm()); err != nil {
				return err
			}
		}
	}
	return nil
}

func (d *destination) takeFile(r io.Reader, e Entry) error {
	name := d.path(e)
	if info, err := d.root.Lstat(name); err == nil && info.IsDir() {
		return fmt.Errorf("there is a folder %q in the place of a file", name)
	}
	// Whoever else writes here has another pid, or another destination.
	temporary := path.Join(path.Dir(name), fmt.Sprintf(".mpf-%d-%p", os.Getpid(), d))
	if err := ignoreMissing(d.root.Remove(temporary)); err != nil {
		return err
	}
	f, err := d.root.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	err = errors.Join(pour(f, r, e), f.Close())
	if err == nil {
		err = d.root.Rename(temporary, name)
	}
	if err != nil {
		return errors.Join(err, ignoreMissing(d.root.Remove(temporary)))
	}
	return nil
}

func ignoreMissing(err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

// pour copies the pieces of a file and compares the hash behind them.
func pour(w io.Writer, r io.Reader, e Entry) error {
	h := sha256.New()
	buffer := make([]byte, chunk)
	for {
		var length [lengthSize]byte
		if _, err := io.ReadFull(r, length[:]); err != nil {
			return unexpected(err)
		}
		n := binary.BigEndian.Uint32(length[:])
		switch {
		case n == 0:
			return compare(r, h.Sum(nil), e)
		case n == broken:
			return brokenFile(r, e)
		case n > chunk:
			return fmt.Errorf("file %q: a piece of %d bytes", e.Path, n)
		}
		if _, err := io.ReadFull(r, buffer[:n]); err != nil {
			return unexpected(err)
		}
		h.Write(buffer[:n])
		if _, err := w.Write(buffer[:n]); err != nil {
			return err
		}
	}
}

func compare(r io.Reader, ours []byte, e Entry) error {
	theirs := make([]byte, sha256.Size)
	if _, err := io.ReadFull(r, theirs); err != nil {
		return unexpected(err)
	}
	if !bytes.Equal(ours, theirs) {
		return fmt.Errorf("file %q: sha256 %s arrived, %s was sent", e.Path, hex.EncodeToString(ours), hex.EncodeToString(theirs))
	}
	return nil
}

func brokenFile(r io.Reader, e Entry) error {
	var why verdict
	if err := readLine(bufio.NewReaderSize(r, 16), &why); err != nil {
		return err
	}
	return fmt.Errorf("file %q: %s", e.Path, why.Error)
}

func (d *destination) link(e Entry) error {
	name := d.path(e)
	if target, err := d.root.Readlink(name); err == nil && target == filepath.FromSlash(e.Target) {
		return nil
	}
	if err := ignoreMissing(d.root.Remove(name)); err != nil {
		return err
	}
	return d.root.Symlink(filepath.FromSlash(e.Target), name)
}
