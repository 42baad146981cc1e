package archive

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"mpf/results/durable"
	"mpf/results/fsys"
)

// Format is a form of archive.
type Format string

const (
	TarZstd Format = "tar.zst"
	Zip     Format = "zip"
)

// FormatOf tells the format by the name of a file.
func FormatOf(name string) (Format, error) {
	for _, f := range []Format{TarZstd, Zip} {
		if strings.HasSuffix(name, "."+string(f)) {
			return f, nil
		}
	}
	return "", fmt.Errorf("archive %q: its name must end in .tar.zst or .zip", name)
}

// Names of the files that only an archive has.
const (
	sumsName  = "SHA256SUMS"
	crateName = "ro-crate-metadata.json"
)

// An Entry is a file of an archive; its name is relative to the archive's folder.
type Entry struct {
	Name   string
	Size   int64
	SHA256 string
}

// Write writes a directory as an archive whose files lie in one folder, and
// returns what is in it.
func Write(w io.Writer, tree fsys.FS, format Format, d Description) ([]Entry, error) {
	entries, err := list(tree, ".")
	if err != nil {
		return nil, err
	}
	crate, err := d.crate(entries)
	if err != nil {
		return nil, err
	}
	p, err := newPacker(w, format)
	if err != nil {
		return nil, err
	}
	own := Entry{Name: crateName, Size: int64(len(crate)), SHA256: durable.SHA256(crate)}
	sums := sumsOf(append([]Entry{own}, entries...))
	err = p.add(path.Join(d.folder(), crateName), int64(len(crate)), bytes.NewReader(crate))
	if err == nil {
		err = p.add(path.Join(d.folder(), sumsName), int64(len(sums)), bytes.NewReader(sums))
	}
	for _, e := range entries {
		if err == nil {
			err = pack(p, tree, d.folder(), e)
		}
	}
	return append([]Entry{own}, entries...), errors.Join(err, p.Close())
}

// list hashes the files below a directory, sorted by name.
func list(tree fsys.FS, dir string) ([]Entry, error) {
	children, err := tree.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var entries []Entry
	for _, c := range children {
		name := path.Join(dir, c.Name())
		switch {
		case leftOut(name):
		case c.IsDir():
			below, err := list(tree, name)
			if err != nil {
				return nil, err
			}
			entries = append(entries, below...)
		case !c.Type().IsRegular():
			return nil, fmt.Errorf("%s: is neither a file nor a folder", name)
		default:
			file, err := durable.Hash(tree, name)
			if err != nil {
				return nil, err
			}
			entries = append(entries, Entry{Name: name, Size: file.Size, SHA256: file.SHA256})
		}
	}
	return entries, nil
}

// leftOut reports whether a name is of no use outside of the directory, or made
// here.
func leftOut(name string) bool {
	switch name {
	case "LOCK", "reserve", fsys.TempDir, sumsName, crateName:
		return true
	}
	return false
}

// sumsOf is in the form of sha256sum.
func sumsOf(entries []Entry) []byte {
	var b bytes.Buffer
	for _, e := range entries {
		fmt.Fprintf(&b, "%s  %s\n", e.SHA256, e.Name)
	}
	return b.Bytes()
}

// pack adds a file, and finds that it is still what was hashed.
func pack(p packer, tree fsys.FS, folder string, e Entry) error {
	f, err := fsys.Open(tree, e.Name)
	if err != nil {
		return err
	}
	h := sha256.New()
	err = p.add(path.Join(folder, e.Name), e.Size, io.TeeReader(io.LimitReader(f, e.Size), h))
	if err == nil && hex.EncodeToString(h.Sum(nil)) != e.SHA256 {
		err = fmt.Errorf("%s: changed while it was packed", e.Name)
	}
	return errors.Join(err, f.Close())
}
