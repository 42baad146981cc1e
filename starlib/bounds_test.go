package starlib

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Scripts that would take all of a machine end with a place, and soon.
func TestHugeScriptsEndSoon(t *testing.T) {
	loop := func(body string) string {
		return "def f():\n    x = []\n    for i in range(1 << 40):\n        " + body + "\nf()\n"
	}
	for _, c := range []struct{ name, text, want string }{
		{"repeat", `x = "a" * (1 << 40)`, "a.star:1:9: repeat count"},
		{"list repeat", `x = [0] * (1 << 40)`, "a.star:1:9: repeat count"},
		{"nesting", "x = " + strings.Repeat("(", 400_000) + "1" + strings.Repeat(")", 400_000), "excessive nesting"},
		{"unary", "x = " + strings.Repeat("-", 900_000) + "1", "excessive nesting"},
		{"recursion", "def f(n):\n    return f(n + 1)\nf(0)\n", "a.star:2:12: function f called recursively"},
		{"steps", loop("pass"), "used up its steps"},
		{"memory", loop("x.append(str(i) + 'a' * 10000000)"), "a.star:4:"},
		{"cyclic level", "x = []\nx.append(x)\nvariable('x', [x])\n", "lists are nested deeper than"},
		{"cyclic dict", "x = {}\nx['x'] = x\nprint(x)\nvariable('x', {'a': x})\n", "a.star:1:1: the file declares no experiment"},
		{"deep level", "def f():\n    x = []\n    for i in range(100000):\n        x = [x]\n    return x\nvariable('x', [f()])\n", "lists are nested deeper than"},
		{"range", "variable('x', range(1 << 50))\n", "1125899906842624 levels, the most is"},
	} {
		t.Run(c.name, func(t *testing.T) {
			began := time.Now()
			_, err := loadText(t, c.text, Options{Timeout: 20 * time.Second})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %.300v, want %q", err, c.want)
			}
			t.Log(time.Since(began).Round(time.Millisecond))
		})
	}
}

func TestTenVariablesOfAThousandLevelsLoad(t *testing.T) {
	var b strings.Builder
	b.WriteString("experiment('big')\n")
	for i := range 10 {
		fmt.Fprintf(&b, "variable('v%d', range(1000))\n", i)
	}
	b.WriteString("r = role('r')\nr.step(lambda ctx, v3: None)\n")
	e := mustLoad(t, b.String())
	if len(e.Variables) != 10 || len(e.Variables[9].Levels) != 1000 {
		t.Errorf("%d variables", len(e.Variables))
	}
}

func TestLoadingEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	path := filepath.Join(t.TempDir(), "a.star")
	if err := os.WriteFile(path, []byte("def f():\n    for i in range(1 << 40):\n        pass\nf()\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(ctx, path, Options{}); err == nil || !strings.Contains(err.Error(), "canceled") {
		t.Errorf("got %v", err)
	}
}

// What load reaches is a regular, small text beside the experiment.
func TestLoadRefusesWhatLiesElsewhere(t *testing.T) {
	outer := t.TempDir()
	dir := filepath.Join(outer, "exp")
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("../outside.star", "x = 1\n")
	write("binary.star", "x = '\xff'\n")
	write("large.star", strings.Repeat("#\n", 1<<19+1))
	write("cycle1.star", "load('cycle2.star', 'x')\ny = 1\n")
	write("cycle2.star", "load('cycle1.star', 'y')\nx = 1\n")
	write("self.star", "load('self.star', 'x')\n")
	write("back.star", "load('a.star', 'y')\nx = 1\n")
	write("sub/lib.star", "load('sub/more.star', 'y')\nx = y\n")
	write("sub/more.star", "y = 3\n")
	for name, target := range map[string]string{"link.star": "../outside.star", "inside.star": "sub/more.star", "dev.star": "/dev/zero"} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe.star"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, want string }{
		{"../outside.star", "without \"..\""},
		{"sub/../../outside.star", "without \"..\""},
		{outer + "/outside.star", "absolute names are refused"},
		{"link.star", "it leads out of the experiment's folder"},
		{"dev.star", "it leads out of the experiment's folder"},
		{"pipe.star", "not a regular file but a pipe"},
		{"sub", "not a regular file but a folder"},
		{"binary.star", "not UTF-8 text (line 1)"},
		{"large.star", "larger than 1024 KiB"},
		{"cycle1.star", "cycle1.star -> cycle2.star -> cycle1.star"},
		{"self.star", "self.star -> self.star"},
		{"back.star", "a.star -> back.star -> a.star"},
		{"missing.star", "no such file"},
		{"", "not a file name"},
		{"inside.star", "name x not found"},
		{"sub/lib.star", ""},
	} {
		write("a.star", fmt.Sprintf("experiment('t')\nload(%q, 'x')\nr = role('r')\nr.step(lambda ctx: None)\n", c.name))
		e, err := Load(t.Context(), filepath.Join(dir, "a.star"), Options{})
		if c.want == "" {
			if err != nil || len(e.Sources) != 3 || e.Sources[2].Path != "sub/more.star" || e.Sources[2].Content != "y = 3\n" {
				t.Errorf("load(%q): %v", c.name, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), ".star:") {
			t.Errorf("load(%q): got %v, want %q", c.name, err, c.want)
		}
	}
}

func TestAMistakeInALoadedFileIsReportedThere(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.star":   "experiment('t')\nload('lib.star', 'f')\nf()\n",
		"lib.star": "def f():\n    variable('x', [1, 1])\n    return 1 // 0\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	_, err := Load(t.Context(), filepath.Join(dir, "a.star"), Options{})
	if err == nil || !strings.Contains(err.Error(), "lib.star:2:13: variable \"x\"") || !strings.Contains(err.Error(), "lib.star:3:14: floored division by zero") {
		t.Errorf("got %v", err)
	}
}

func TestAFileThatCannotBeReadIsNamed(t *testing.T) {
	for path, want := range map[string]string{
		"nowhere.star": "nowhere.star: no such file", "/nowhere/a.star": "/nowhere/a.star: no such file",
		"testdata": "testdata: not a regular file but a folder", "/dev/zero": "/dev/zero: not a regular file but a device",
	} {
		if _, err := Load(t.Context(), path, Options{}); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
