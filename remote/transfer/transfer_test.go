package transfer

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
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

// A tree whose names, modes and shape are unusual arrives as it is.
func TestOddTreesArriveAsTheyAre(t *testing.T) {
	from, to := filepath.Join(t.TempDir(), "from"), filepath.Join(t.TempDir(), "to")
	for _, name := range []string{
		"a b", "-rf", "$HOME", "it's", `"quoted"`, `back\slash`, "*", "~", ".hidden", "ä\u0301\u4e16\u754c", strings.Repeat("n", 255), "deep/er/and/deeper",
	} {
		write(t, filepath.Join(from, name), name, 0o604)
	}
	for name, mode := range map[string]fs.FileMode{"hollow": 0o750, "hollow/within": 0o700, "shut": 0o555} {
		if err := errors.Join(os.MkdirAll(filepath.Join(from, name), 0o755), os.Chmod(filepath.Join(from, name), mode)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.Symlink("nowhere", from+"/dangling"), os.Symlink("../a b", from+"/deep/up")); err != nil {
		t.Fatal(err)
	}
	if sent, received := move(t, Tree(from), to); sent != nil || received != nil {
		t.Fatal(sent, received)
	}
	want, err := Tree(from).Entries()
	if err != nil {
		t.Fatal(err)
	}
	got, err := Tree(to).Entries()
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, want %v, %v", got, want, err)
	}
	for _, e := range want {
		if content, err := os.ReadFile(filepath.Join(to, e.Path)); e.Kind == File && (err != nil || string(content) != e.Path) {
			t.Errorf("%q holds %q, %v", e.Path, content, err)
		}
	}
}

func TestANameThatIsNoTextIsRefused(t *testing.T) {
	from, to := filepath.Join(t.TempDir(), "from"), filepath.Join(t.TempDir(), "to")
	write(t, filepath.Join(from, "a\xff"), "a", 0o600)
	sent, received := move(t, Tree(from), to)
	if sent == nil || received == nil || !strings.Contains(received.Error(), `file name "a\xff" is refused`) {
		t.Errorf("got %v and %v", sent, received)
	}
}

// counted counts what the sender writes.
type counted struct {
	io.ReadWriter
	bytes *int64
}

func (c counted) Write(p []byte) (int, error) {
	*c.bytes += int64(len(p))
	return c.ReadWriter.Write(p)
}

func TestWhatIsThereIsNotSent(t *testing.T) {
	from, to := filepath.Join(t.TempDir(), "from"), filepath.Join(t.TempDir(), "to")
	const size = 5*chunk + 3
	for _, name := range []string{"a", "sub/b"} {
		write(t, filepath.Join(from, name), strings.Repeat(name[:1], size), 0o644)
	}
	again := func() (n int64) {
		a, b := io.Pipe()
		c, d := io.Pipe()
		done := make(chan error, 1)
		go func() { done <- Receive(duplex{a, d}, to) }()
		if err := errors.Join(Send(counted{duplex{c, b}, &n}, Tree(from)), <-done); err != nil {
			t.Fatal(err)
		}
		return n
	}
	if n := again(); n < 2*size {
		t.Errorf("%d bytes were sent at first", n)
	}
	if n := again(); n > 1000 {
		t.Errorf("%d bytes were sent of what is there", n)
	}
	write(t, filepath.Join(to, "a"), strings.Repeat("x", size), 0o644) // of the same size
	if n := again(); n < size || n > size+1000 {
		t.Errorf("%d bytes were sent of one file that differs", n)
	}
	content, err := os.ReadFile(filepath.Join(to, "a"))
	if err != nil || string(content) != strings.Repeat("a", size) {
		t.Errorf("the file that differed holds %d bytes, %v", len(content), err)
	}
}

// Whatever a sender lists, what is refused leaves nothing.
func TestHostileListsAreRefused(t *testing.T) {
	for what, entries := range map[string][]Entry{
		"nothing":                   {},
		"no beginning":              {{Path: "a", Kind: File}},
		"a file with files":         {{Path: ".", Kind: File}, {Path: "a", Kind: File}},
		"a name that leads out":     {{Path: ".", Kind: Folder}, {Path: "../a", Kind: File}},
		"a name that leads around":  {{Path: ".", Kind: Folder}, {Path: "a/../../b", Kind: File}},
		"an absolute name":          {{Path: ".", Kind: Folder}, {Path: "/etc/a", Kind: File}},
		"an empty name":             {{Path: ".", Kind: Folder}, {Path: "", Kind: File}},
		"a name of two lines":       {{Path: ".", Kind: Folder}, {Path: "a\nb", Kind: File}},
		"a name for terminals":      {{Path: ".", Kind: Folder}, {Path: "\x1b[2J", Kind: File}},
		"a link that leads out":     {{Path: ".", Kind: Folder}, {Path: "l", Kind: Link, Target: "../../etc"}},
		"an absolute link":          {{Path: ".", Kind: Folder}, {Path: "l", Kind: Link, Target: "/etc"}},
		"a whole that is such link": {{Path: ".", Kind: Link, Target: "../x"}},
		"a device":                  {{Path: ".", Kind: "device"}},
		"less than nothing":         {{Path: ".", Kind: File, Size: -1}},
	} {
		dir := t.TempDir()
		var stream bytes.Buffer
		if err := errors.Join(writeLine(&stream, manifest{Entries: entries}), writeLine(&stream, selection{})); err != nil {
			t.Fatal(err)
		}
		if err := Receive(duplex{&stream, io.Discard}, filepath.Join(dir, "in", "to")); err == nil {
			t.Errorf("%s: was taken", what)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("%s: left %v, %v", what, left, err)
		}
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

func TestATreeIsNamedFromItsRoot(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{".hidden/a", "b"} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, nil, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for _, root := range []string{".", "./", ".hidden/..", here, here + "//"} {
		entries, err := Tree(root).Entries()
		var got []string
		for _, e := range entries {
			got = append(got, e.Path)
		}
		if want := []string{".", ".hidden", ".hidden/a", "b"}; err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: got %q, %v; want %q", root, got, err, want)
		}
	}
}
