package transfer

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// duplex is two pipes.
type duplex struct {
	io.Reader
	io.Writer
}

// move sends a source to a path and returns both ends' errors.
func move(t *testing.T, from Source, to string) (sent, received error) {
	t.Helper()
	a, b := io.Pipe()
	c, d := io.Pipe()
	done := make(chan error, 1)
	go func() {
		err := Receive(duplex{a, d}, to)
		d.Close()
		io.Copy(io.Discard, a) // what the sender still says
		done <- err
	}()
	sent = Send(duplex{c, b}, from)
	b.Close()
	return sent, <-done
}

func write(t *testing.T, path, content string, mode fs.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), mode); err != nil {
		t.Fatal(err)
	}
}

func TestTreeArrivesWhole(t *testing.T) {
	from, to := filepath.Join(t.TempDir(), "from"), filepath.Join(t.TempDir(), "deep", "to")
	write(t, filepath.Join(from, "a"), "a", 0o640)
	write(t, filepath.Join(from, "sub", "b"), strings.Repeat("b", 3*chunk+1), 0o755)
	write(t, filepath.Join(from, "sub", "empty"), "", 0o600)
	if err := os.Symlink("sub/b", filepath.Join(from, "link")); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if sent, received := move(t, Tree(from), to); sent != nil || received != nil {
			t.Fatal(sent, received)
		}
	}
	want, err := Tree(from).Entries()
	if err != nil {
		t.Fatal(err)
	}
	got, err := Tree(to).Entries()
	if err != nil || len(got) != len(want) {
		t.Fatalf("got %v, want %v, %v", got, want, err)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("got %+v, want %+v", got[i], want[i])
		}
	}
	content, err := os.ReadFile(filepath.Join(to, "link"))
	if err != nil || len(content) != 3*chunk+1 {
		t.Errorf("%d bytes, %v", len(content), err)
	}
}

func TestBytesReplaceAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	for _, content := range []string{"one", "two", "three", ""} {
		if sent, received := move(t, Bytes{Content: []byte(content), Mode: 0o600}, path); sent != nil || received != nil {
			t.Fatal(sent, received)
		}
		got, err := os.ReadFile(path)
		if err != nil || string(got) != content {
			t.Errorf("got %q, %v, want %q", got, err, content)
		}
	}
}

// changing is a source whose file cannot be read to its end, or not at all.
type changing struct{ opened error }

func (c changing) Entries() ([]Entry, error) {
	return []Entry{{Path: ".", Kind: File, Mode: 0o600, Size: 10}}, nil
}

func (c changing) Open(Entry) (io.ReadCloser, error) {
	if c.opened != nil {
		return nil, c.opened
	}
	return io.NopCloser(io.MultiReader(strings.NewReader("half"), failing{})), nil
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.New("the disk is gone") }

func TestNothingIsVisibleHalf(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	write(t, path, "before", 0o600)
	for _, from := range []changing{{}, {opened: errors.New("no such thing")}} {
		sent, received := move(t, from, path)
		if sent == nil || received == nil {
			t.Errorf("got %v and %v", sent, received)
		}
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(entries) != 1 {
		t.Errorf("left %v, %v", entries, err)
	}
	content, err := os.ReadFile(path)
	if err != nil || string(content) != "before" {
		t.Errorf("got %q, %v", content, err)
	}
}

// A stream that is cut at any byte leaves a whole file or none.
func TestCutStreams(t *testing.T) {
	var stream bytes.Buffer
	answers := "{}\n{}\n"
	if err := Send(duplex{strings.NewReader(answers), &stream}, Bytes{Content: []byte("content"), Mode: 0o600}); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for cut := range stream.Len() {
		path := filepath.Join(dir, "file")
		err := Receive(duplex{bytes.NewReader(stream.Bytes()[:cut]), io.Discard}, path)
		if err == nil {
			t.Fatalf("cut at %d: no error", cut)
		}
		if entries, dirErr := os.ReadDir(dir); dirErr != nil || len(entries) > 0 {
			t.Fatalf("cut at %d: left %v, %v", cut, entries, dirErr)
		}
	}
	damaged := bytes.Clone(stream.Bytes())
	damaged[bytes.Index(damaged, []byte("content"))] ^= 1
	if err := Receive(duplex{bytes.NewReader(damaged), io.Discard}, filepath.Join(dir, "file")); err == nil || !strings.Contains(err.Error(), "sha256") {
		t.Errorf("a damaged file: %v", err)
	}
}

func FuzzReceive(f *testing.F) {
	f.Add([]byte(`{"entries":[{"path":".","kind":"file","mode":384,"size":1}]}` + "\n" + `{"send":[0]}` + "\n\x00\x00\x00\x01x"))
	f.Add([]byte(`{"entries":[{"path":".","kind":"folder"},{"path":"../x","kind":"file"}]}` + "\n"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		dir := t.TempDir()
		// Whatever the error is, nothing lies outside.
		_ = Receive(duplex{bytes.NewReader(raw), io.Discard}, filepath.Join(dir, "in", "to"))
		if entries, err := os.ReadDir(dir); err != nil || len(entries) > 1 {
			t.Errorf("left %v, %v", entries, err)
		}
	})
}
