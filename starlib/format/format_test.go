package format

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mpf/engine"
	"mpf/starlib/code"
)

func TestFilesAreLaidOut(t *testing.T) {
	got, err := Source("a.star", []byte("#!/usr/bin/env -S mpf run\n\"\"\"Doc.\"\"\"\nexperiment( 'x',replicates=6 )   # six\nif True :\n   variable('n',[1,2 ])\n"))
	want := "#!/usr/bin/env -S mpf run\n\"\"\"Doc.\"\"\"\nexperiment(\"x\", replicates = 6)  # six\nif True:\n    variable(\"n\", [1, 2])\n"
	if err != nil || string(got) != want {
		t.Errorf("%v\n%s\nwant:\n%s", err, got, want)
	}
}

// What people copy from is laid out again as it was, and means the same.
func TestFormattingIsStable(t *testing.T) {
	files, err := filepath.Glob("../../experiments/*.star")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		once, err := Source(file, content)
		if err != nil {
			t.Fatal(err)
		}
		twice, err := Source(file, once)
		if err != nil || string(once) != string(twice) || !code.Same(content, once) {
			t.Errorf("%s: %v\n%s", file, err, twice)
		}
	}
}

func TestMistakesOfSyntaxAreExplained(t *testing.T) {
	_, err := Source("a.star", []byte("x = [1\ny = 2\n"))
	var mistakes engine.Mistakes
	if !errors.As(err, &mistakes) || !strings.Contains(err.Error(), `a.star:1:5: "[" is not closed`) {
		t.Errorf("got %v", err)
	}
}

func FuzzFormattingKeepsTheMeaning(f *testing.F) {
	f.Add("def f(a,*b):\n  return [x for x in b if x][a:]\n")
	f.Fuzz(func(t *testing.T, text string) {
		got, err := Source("a.star", []byte(text))
		if err == nil && !code.Same([]byte(text), got) {
			t.Errorf("%q becomes %q", text, got)
		}
	})
}
