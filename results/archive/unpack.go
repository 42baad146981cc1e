package archive

import (
	"archive/tar"
	"archive/zip"
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// maxSums is more than the sums of any campaign take.
const maxSums = 1 << 30

// Check reads an archive and compares every file with its sum. It returns what
// is in it.
func Check(name string) ([]Entry, error) {
	return walk(name, func(string, io.Reader) error { return nil })
}

// Extract unpacks an archive into a directory that does not exist yet, checking
// it on the way. After an error the directory is gone again.
func Extract(name, dir string) (entries []Entry, err error) {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(dir))
		}
	}()
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	entries, err = walk(name, func(file string, r io.Reader) error { return save(root, file, r) })
	return entries, errors.Join(err, root.Close())
}

func save(root *os.Root, name string, r io.Reader) error {
	if err := root.MkdirAll(path.Dir(name), 0o700); err != nil {
		return err
	}
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, r)
	return errors.Join(err, f.Close())
}

// walk hands every file but the sums to take, with its name below the archive's
// folder, and compares it with the sums afterwards.
func walk(name string, take func(string, io.Reader) error) ([]Entry, error) {
	format, err := FormatOf(name)
	if err != nil {
		return nil, err
	}
	var entries []Entry
	var sums map[string]string
	each := func(file string, r io.Reader) error {
		_, below, ok := strings.Cut(file, "/")
		if !ok || !filepath.IsLocal(filepath.FromSlash(below)) || path.Clean(below) != below {
			return fmt.Errorf("%q: no name for a file of an archive", file)
		}
		if below == sumsName {
			sums, err = readSums(io.LimitReader(r, maxSums))
			return err
		}
		h := sha256.New()
		c := &counter{r: io.TeeReader(r, h)}
		if err := take(below, c); err != nil {
			return err
		}
		if _, err := io.Copy(io.Discard, c); err != nil {
			return err
		}
		entries = append(entries, Entry{Name: below, Size: c.n, SHA256: hex.EncodeToString(h.Sum(nil))})
		return nil
	}
	if format == Zip {
		err = walkZip(name, each)
	} else {
		err = walkTar(name, each)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if err := compare(entries, sums); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return entries, nil
}

type counter struct {
	r io.Reader
	n int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

func readSums(r io.Reader) (map[string]string, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	sums := map[string]string{}
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		sum, file, ok := strings.Cut(lines.Text(), "  ")
		if !ok {
			return nil, fmt.Errorf("%s: %q is not a sum and a name", sumsName, lines.Text())
		}
		sums[file] = sum
	}
	return sums, lines.Err()
}

func compare(entries []Entry, sums map[string]string) error {
	if sums == nil {
		return fmt.Errorf("it has no %s", sumsName)
	}
	seen := map[string]bool{}
	for _, e := range entries {
		switch want, ok := sums[e.Name]; {
		case !ok:
			return fmt.Errorf("%s: %s does not list it", e.Name, sumsName)
		case want != e.SHA256:
			return fmt.Errorf("%s: sha256 %s, its sum is %s", e.Name, e.SHA256, want)
		case seen[e.Name]:
			return fmt.Errorf("%s: is there twice", e.Name)
		}
		seen[e.Name] = true
	}
	for file := range sums {
		if !seen[file] {
			return fmt.Errorf("%s: missing", file)
		}
	}
	return nil
}

func walkTar(name string, each func(string, io.Reader) error) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	z, err := zstd.NewReader(f, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return err
	}
	defer z.Close()
	files := tar.NewReader(z)
	for {
		header, err := files.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if header.Typeflag != tar.TypeReg {
			return fmt.Errorf("%q: not a file", header.Name)
		}
		if err := each(header.Name, files); err != nil {
			return err
		}
	}
}

func walkZip(name string, each func(string, io.Reader) error) error {
	z, err := zip.OpenReader(name)
	if err != nil {
		return err
	}
	defer z.Close()
	for _, file := range z.File {
		if !file.Mode().IsRegular() {
			return fmt.Errorf("%q: not a file", file.Name)
		}
		r, err := file.Open()
		if err != nil {
			return err
		}
		if err := errors.Join(each(file.Name, r), r.Close()); err != nil {
			return err
		}
	}
	return nil
}
