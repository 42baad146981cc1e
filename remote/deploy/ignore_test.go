package deploy

import (
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"sort"
	"strings"
	"testing"

	"mpf/engine/enginetest"
)

// Random ignore files exclude here what they exclude for git.
func TestIgnoreFilesAgreeWithGit(t *testing.T) {
	enginetest.Need(t, "git")
	random := rand.New(rand.NewSource(1))
	root := t.TempDir()
	for _, a := range []string{"a", "b", "lib"} {
		for _, b := range []string{"a", "build", "x.d"} {
			for _, c := range []string{"a", "main.c", "x.o", "#odd", "b c"} {
				if err := os.MkdirAll(filepath.Join(root, a, b), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(root, a, b, c), nil, 0o644); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if out, err := exec.Command("git", "-C", root, "init", "-q").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for i := range 60 {
		top, below := randomPatterns(random), randomPatterns(random)
		for name, text := range map[string]string{".gitignore": top, "a/.gitignore": below} {
			if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		out, err := exec.Command("git", "-C", root, "-c", "core.quotePath=off", "ls-files", "-z", "-o", "--exclude-per-directory=.gitignore").Output()
		if err != nil {
			t.Fatal(err)
		}
		want := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
		sort.Strings(want)
		got, err := list(root)
		if err != nil {
			t.Fatal(err)
		}
		if len(got) == 0 {
			got = []string{""}
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%d: .gitignore\n%s\na/.gitignore\n%s\ngot  %q\nwant %q", i, top, below, got, want)
		}
	}
}

func randomPatterns(random *rand.Rand) string {
	words := []string{
		"*.o", "!x.o", "a", "/a", "a/", "build", "/a/build", "**/main.c", "lib/**", "a/**/x.o", "!a", "# no", `\#odd`,
		"b c", "x.?", "[!x].d", "*", "!*/", "!main.c", "build/", "x.d/a", "!/lib", "   ",
	}
	var b strings.Builder
	for range 1 + random.Intn(4) {
		fmt.Fprintln(&b, words[random.Intn(len(words))])
	}
	return b.String()
}
