package transfer

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sort"
)

// Tree is a file or a folder of this machine, as a Source.
type Tree string

// Entries lists the tree, folders before what they hold.
func (t Tree) Entries() ([]Entry, error) { return list(string(t), entryOf) }

// Open opens a file of the tree.
func (t Tree) Open(e Entry) (io.ReadCloser, error) {
	return os.Open(filepath.Join(string(t), filepath.FromSlash(e.Path)))
}

// Contents is a Tree of which a folder's links, sockets and the like are left
// out: they mean nothing elsewhere.
type Contents string

// Entries lists the files and folders of the tree.
func (c Contents) Entries() ([]Entry, error) {
	return list(string(c), func(name, path string, info fs.FileInfo) (Entry, error) {
		if name != "." && !info.Mode().IsRegular() && !info.IsDir() {
			return Entry{}, errLeftOut
		}
		return entryOf(name, path, info)
	})
}

// Open opens a file of the tree.
func (c Contents) Open(e Entry) (io.ReadCloser, error) { return Tree(c).Open(e) }

// errLeftOut says that something does not belong to a list.
var errLeftOut = errors.New("left out")

// describe makes an entry of what has a name in a tree, and a path here.
type describe func(name, path string, info fs.FileInfo) (Entry, error)

// list lists what lies at a path, itself first.
func list(root string, as describe) ([]Entry, error) {
	info, err := os.Stat(root)
	if err != nil {
		return nil, err
	}
	first, err := as(".", root, info)
	if err != nil || !info.IsDir() {
		return []Entry{first}, err
	}
	return listFolder([]Entry{first}, root, "", as)
}

// listFolder adds what a folder holds. What goes meanwhile was never there.
func listFolder(entries []Entry, folder, name string, as describe) ([]Entry, error) {
	names, err := namesIn(folder)
	if err != nil {
		return nil, err
	}
	for _, n := range names {
		here, there := filepath.Join(folder, n), path.Join(name, n)
		info, err := os.Lstat(here)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		e, err := as(there, here, info)
		if errors.Is(err, errLeftOut) {
			continue
		}
		if entries = append(entries, e); err == nil && info.IsDir() {
			entries, err = listFolder(entries, here, there, as)
		}
		if err != nil {
			return nil, err
		}
	}
	return entries, nil
}

func namesIn(folder string) ([]string, error) {
	f, err := os.Open(folder)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	names, err := f.Readdirnames(-1)
	sort.Strings(names)
	return names, err
}

func entryOf(name, path string, info fs.FileInfo) (Entry, error) {
	e := Entry{Path: name, Mode: info.Mode().Perm()}
	switch {
	case info.Mode().IsRegular():
		e.Kind, e.Size = File, info.Size()
	case info.IsDir():
		e.Kind = Folder
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := os.Readlink(path)
		if err != nil {
			return e, err
		}
		e.Kind, e.Target = Link, filepath.ToSlash(target)
	default:
		return e, fmt.Errorf("%q is neither a file nor a folder", path)
	}
	return e, nil
}
