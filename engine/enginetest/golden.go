package enginetest

import (
	"os"
	"testing"
)

// Golden compares what a test made with the file that holds what it made once.
// With update the file is written instead.
func Golden(t testing.TB, path, got string, update bool) {
	t.Helper()
	if update {
		if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (make it with: go test -run %s -update)", err, t.Name())
	}
	if got != string(want) {
		t.Errorf("%s is:\n%s\nwant:\n%s", path, got, want)
	}
}
