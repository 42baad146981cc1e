package agent

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// What is found is what filepath.Glob finds, and read as far as it is sent.
func TestPatternsFindWhatGlobFinds(t *testing.T) {
	root := t.TempDir()
	for path, size := range map[string]int{
		"cpu0/topology/core_id": 2, "cpu10/topology/core_id": 2, "cpufreq/boost": 1, "cpu1": 1,
		"a[b/c": 1, "node/large": mostLooked + 1, "node/whole": mostLooked, "node/empty": 0,
	} {
		path = filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, make([]byte, size), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("nowhere", filepath.Join(root, "node/dangling")); err != nil {
		t.Fatal(err)
	}
	l := looker{matched: map[string][]string{}, listed: map[string][]string{}, buffer: make([]byte, mostLooked)}
	for _, pattern := range []string{
		"cpu[0-9]*/topology/core_id", "cpu[0-9]*/topology/*", "cpu*", "cpu*/*", "node/*", "node/empty", "node/dangling",
		"nothing", "nothing/*", "cpu1/*", `a\[b/c`, "[", "*/[", "?????", "node", "*/*/*/*",
	} {
		want, _ := filepath.Glob(filepath.Join(root, pattern))
		var got []string
		for _, path := range l.paths(filepath.Join(root, pattern)) {
			text, there := l.read(path)
			if !there {
				continue
			}
			got = append(got, path)
			if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && int64(len(text)) != min(info.Size(), mostLooked) {
				t.Errorf("%q: %d bytes of %d", path, len(text), info.Size())
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", pattern, got, want)
		}
	}
}
