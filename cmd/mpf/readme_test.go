package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mpf/engine/enginetest"
)

// A block is a fenced part of a document: the words after the fence, and the
// lines in it.
type block struct {
	words []string
	text  string
}

func blocks(document string) []block {
	var found []block
	for i, part := range strings.Split(document, "```") {
		if i%2 == 0 {
			continue
		}
		head, text, _ := strings.Cut(part, "\n")
		found = append(found, block{strings.Fields(head), text})
	}
	return found
}

// The documents are walked as a newcomer would, the README first: files are made
// as shown, commands given as shown, and what a command is said to print is
// looked for. Blocks marked check and hosts need a whole test run or hosts that
// are not here.
func TestDocumentedBlocksDoWhatTheySay(t *testing.T) {
	enginetest.Need(t, "go", "sh")
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	clone := t.TempDir()
	if out, err := exec.Command("sh", "-c", "cd '"+root+"' && git ls-files -z | xargs -0 cp --parents -t '"+clone+"'").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, name := range []string{"README.md", "docs/from-python-mpf.md"} {
		document, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		last := ""
		for _, b := range blocks(string(document)) {
			last = walk(t, name, clone, b, last)
		}
	}
}

// walk does what a block says; last is what the block before it printed.
func walk(t *testing.T, document, dir string, b block, last string) string {
	t.Helper()
	kind, mark := b.words[0], ""
	if len(b.words) > 1 {
		mark = b.words[1]
	}
	name, isFile := strings.CutPrefix(mark, "file=")
	switch {
	case isFile:
		writeFile(t, filepath.Join(dir, name), b.text)
	case kind == "text" && mark == "output":
		for line := range strings.Lines(b.text) {
			if !strings.Contains(last, line) {
				t.Errorf("%s: %q is not printed, but:\n%s", document, line, last)
			}
		}
	case kind == "sh" && mark == "":
		return shell(t, document, dir, b.text)
	}
	return last
}

// shell runs commands one by one, beside other tests that measure this machine.
func shell(t *testing.T, document, dir, commands string) string {
	t.Helper()
	commands = strings.ReplaceAll(commands, "mpf run ", "mpf run --shared-host ")
	cmd := exec.Command("sh", "-ec", commands)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "MPF_HOST_LOCK="+filepath.Join(dir, "host.lock"))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %s: %v\n%s", document, commands, err, out)
	}
	return string(out)
}
