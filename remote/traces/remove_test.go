package traces

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// clean executes the script with a home, and returns what it removed there: who
// has no home shares a folder with everybody else on this machine.
func clean(t *testing.T, home string, env ...string) ([]Trace, error) {
	t.Helper()
	c := exec.Command("sh", "-c", Script)
	c.Env = append([]string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "TMPDIR=" + filepath.Join(home, "tmp")}, env...)
	out, err := c.Output()
	if err != nil {
		t.Fatal(err)
	}
	removed, err := Parse(string(out))
	removed = slices.DeleteFunc(removed, func(tr Trace) bool { return !strings.HasPrefix(tr.Path, home+"/") })
	return removed, err
}

func folder(t *testing.T, path ...string) string {
	t.Helper()
	dir := filepath.Join(path...)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "file"), make([]byte, 10_000), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestRemovesWhatIsThere(t *testing.T) {
	home := t.TempDir()
	dirs := []string{folder(t, home, "a b", "mpf"), folder(t, home, ".cache", "mpf")}
	other := folder(t, home, ".cache", "other")
	removed, err := clean(t, home, "XDG_CACHE_HOME="+filepath.Join(home, "a b"))
	if err != nil || len(removed) != 2 || removed[0].Path != dirs[0] || removed[1].Path != dirs[1] || removed[0].Bytes < 10_000 {
		t.Errorf("%+v, %v", removed, err)
	}
	if _, err := os.Stat(other); err != nil {
		t.Error(err)
	}
	if removed, err := clean(t, home); err != nil || len(removed) > 0 {
		t.Errorf("again: %+v, %v", removed, err)
	}
}

func TestLeavesALink(t *testing.T) {
	home := t.TempDir()
	target := folder(t, home, "target")
	folder(t, home, ".cache")
	if err := os.Symlink(target, filepath.Join(home, ".cache", "mpf")); err != nil {
		t.Fatal(err)
	}
	if removed, err := clean(t, home); err != nil || len(removed) > 0 {
		t.Errorf("%+v, %v", removed, err)
	}
	if _, err := os.Stat(filepath.Join(target, "file")); err != nil {
		t.Error(err)
	}
}

func TestAnAnswerThatIsNone(t *testing.T) {
	var used *UsedError
	for printed, want := range map[string]string{
		"":                                    "did not end its cleaning",
		"mpf-clean removed 4 /a\n":            "did not end its cleaning",
		"mpf-clean removed\nmpf-clean done\n": "expected a line of mpf-clean",
		"mpf-clean kept 4 /a\nmpf-clean done": "/a cannot be removed",
		"mpf-clean used 7 /a\nmpf-clean done": "/a is in use by the agent with pid 7",
	} {
		_, err := Parse(printed)
		if err == nil || !strings.Contains(err.Error(), want) || errors.As(err, &used) != strings.Contains(printed, "used") {
			t.Errorf("%q: %v, want %q", printed, err, want)
		}
	}
	if removed, err := Parse("Welcome\nmpf-clean removed 4 /a b\nmpf-clean done\n"); err != nil || len(removed) != 1 || removed[0] != (Trace{"/a b", 4096}) {
		t.Errorf("%+v, %v", removed, err)
	}
}
