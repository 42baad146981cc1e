package starlib

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// digestOf loads an experiment with a library and returns its step's digest.
func digestOf(t *testing.T, text, lib string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range map[string]string{"a.star": text, "lib.star": lib} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	e, err := Load(t.Context(), filepath.Join(dir, "a.star"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	return e.Timeline[0][0].Digest
}

const digested = `
load("lib.star", "helper", renamed = "other")
experiment("x")
variable("n", [1, 2])
size = 3
table = [size + 1]
def made(k):
    def inner(ctx):
        return {"y": helper(k) + table[0]}
    return inner
r = role("r")
r.step(made(5))
`

const digestedLib = `
base = 10
def deep(x):
    return x + base
def helper(x):
    return deep(x)
def other(x):
    return x
`

// The digest changes with what the step does, and with nothing else.
func TestDigestsFollowWhatAStepDoes(t *testing.T) {
	before := digestOf(t, digested, digestedLib)
	for _, c := range []struct {
		name, file, from, to string
		changes              bool
	}{
		{"comment", "a", "size = 3", "size  =  3   # why", false},
		{"another variable", "a", "[1, 2]", "[1, 2, 3]", false},
		{"new lines", "a", "def made", "\n\ndef made", false},
		{"unused function", "lib", "return x\n", "return 2 * x\n", false},
		{"body", "a", "helper(k) +", "helper(k) -", true},
		{"constant", "a", "size = 3", "size = 4", true},
		{"captured value", "a", "made(5)", "made(6)", true},
		{"called function", "lib", "return deep(x)", "return deep(x + 1)", true},
		{"constant of a library", "lib", "base = 10", "base = 11", true},
		{"result's name", "a", `"y"`, `"z"`, true},
	} {
		text, lib := digested, digestedLib
		if c.file == "a" {
			text = strings.Replace(text, c.from, c.to, 1)
		} else {
			lib = strings.Replace(lib, c.from, c.to, 1)
		}
		if text == digested && lib == digestedLib {
			t.Fatalf("%s: nothing replaced", c.name)
		}
		if changed := digestOf(t, text, lib) != before; changed != c.changes {
			t.Errorf("%s: changed = %v, want %v", c.name, changed, c.changes)
		}
	}
}
