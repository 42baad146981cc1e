package deploy

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"mpf/engine"
)

// A Carried is a source as a record keeps it, from which it is deployed again
// where its folder is not, or its repository has gone on.
type Carried struct {
	Source   string `json:"source"` // as the experiment names it
	Revision string `json:"revision,omitempty"`
	Commit   string `json:"commit,omitempty"`
	Dirty    bool   `json:"dirty,omitempty"`
	SHA256   string `json:"sha256"` // of names, modes and contents
	Archive  []byte `json:"-"`      // tar.gz of a folder; none of what can be fetched or is too large
}

// maxArchive bounds the archive of a folder that is carried.
const maxArchive = 64 << 20

// is reports whether a source is what a deployment asks for.
func (c *Carried) is(x engine.Deployment) bool {
	return c.Source == x.Source && c.Revision == x.Revision
}

// Stage stages the sources of all deployments and returns them to be kept, each
// once, in the order of the deployments.
func (d *Deployer) Stage(ctx context.Context) ([]Carried, error) {
	var all []Carried
	seen := map[string]bool{}
	for _, x := range d.Experiment.Deployments {
		key := x.Source + "\x00" + x.Revision
		if x.Source == "" || seen[key] {
			continue
		}
		seen[key] = true
		s, err := d.stage(ctx, x)
		if err != nil {
			return all, mistaken(x, err)
		}
		c := Carried{Source: x.Source, Revision: x.Revision, Commit: s.commit, Dirty: s.dirty, SHA256: s.hash}
		if !isURL(x.Source) {
			if c.Archive, err = pack(s.dir); err != nil {
				return all, err
			}
		}
		all = append(all, c)
	}
	return all, nil
}

// mistaken gives a source that cannot be the place where it is named.
func mistaken(x engine.Deployment, err error) error {
	var wrong *wrongSource
	if errors.As(err, &wrong) {
		return engine.Mistake{Pos: x.Pos, Message: "deploy: " + wrong.what, Hint: wrong.hint}
	}
	return fmt.Errorf("%v: deploy: %w", x.Pos, err)
}

// A wrongSource is a source that an edit of the experiment, or of what lies
// beside it, mends.
type wrongSource struct{ what, hint string }

func (e *wrongSource) Error() string { return e.what + " (" + e.hint + ")" }

// Unpack writes the files of a source below a folder that it makes.
func (c *Carried) Unpack(folder string) error {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	return unpack(c.Archive, folder)
}

// A NotCarriedError is a folder that a record names and does not hold.
type NotCarriedError struct{ Source string }

func (e *NotCarriedError) Error() string {
	return fmt.Sprintf("source %q: the folder was too large to be kept", e.Source)
}

// isHeld reports whether a source can be had from what was kept of it.
func (c *Carried) isHeld() bool { return len(c.Archive) > 0 || isURL(c.Source) }

// fromCarried makes a source of what a record kept of it.
func (s *staged) fromCarried(ctx context.Context, cache string, c *Carried) error {
	s.commit, s.dirty = c.Commit, c.Dirty
	if isURL(c.Source) {
		r, err := fetched(ctx, cache, c.Source, c.Commit)
		if err != nil {
			return fmt.Errorf("%s: %w", c.Source, err)
		}
		return s.fromCommit(ctx, r, c.Commit)
	}
	if err := unpack(c.Archive, s.dir); err != nil {
		return fmt.Errorf("source %q as it was kept: %w", c.Source, err)
	}
	return nil
}

var errTooLarge = errors.New("too large")

// pack makes an archive of a folder of which equal folders have equal ones; none
// where it would be too large.
func pack(dir string) ([]byte, error) {
	var packed bytes.Buffer
	zip := gzip.NewWriter(limited{&packed})
	w := tar.NewWriter(zip)
	err := filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		short, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		return packFile(w, name, filepath.ToSlash(short))
	})
	err = errors.Join(err, w.Close(), zip.Close())
	if errors.Is(err, errTooLarge) {
		return nil, nil
	}
	return packed.Bytes(), err
}

func packFile(w *tar.Writer, name, short string) error {
	info, err := os.Lstat(name)
	if err != nil {
		return err
	}
	h := &tar.Header{Name: short, Mode: int64(info.Mode().Perm()), Typeflag: tar.TypeReg, Size: info.Size(), Format: tar.FormatPAX}
	if info.Mode()&fs.ModeSymlink != 0 {
		h.Typeflag, h.Size, h.Mode = tar.TypeSymlink, 0, 0o777
		if h.Linkname, err = os.Readlink(name); err != nil {
			return err
		}
		return w.WriteHeader(h)
	}
	if err := w.WriteHeader(h); err != nil {
		return err
	}
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	_, err = io.Copy(w, f)
	return errors.Join(err, f.Close())
}

// limited takes what an archive may hold at most.
type limited struct{ *bytes.Buffer }

func (l limited) Write(p []byte) (int, error) {
	if l.Len()+len(p) > maxArchive {
		return 0, errTooLarge
	}
	return l.Buffer.Write(p)
}

// maxUnpacked bounds what an archive that others made may become.
const maxUnpacked = 4 << 30

// unpack writes the files of an archive below a folder, and nowhere else: their
// names come from others.
func unpack(archive []byte, dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	zip, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		return err
	}
	r := tar.NewReader(io.LimitReader(zip, maxUnpacked))
	for {
		h, err := r.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := unpackFile(root, h, r); err != nil {
			return err
		}
	}
}

func unpackFile(root *os.Root, h *tar.Header, r io.Reader) error {
	name := filepath.FromSlash(h.Name)
	if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	switch h.Typeflag {
	case tar.TypeSymlink:
		return root.Symlink(h.Linkname, name)
	case tar.TypeReg:
		f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644|fs.FileMode(h.Mode)&0o111)
		if err != nil {
			return err
		}
		_, err = io.Copy(f, r)
		return errors.Join(err, f.Close())
	}
	return fmt.Errorf("file %q is of unknown kind %q", h.Name, h.Typeflag)
}
