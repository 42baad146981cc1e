package agent

import (
	"errors"
	"io"
	"os/exec"
	"strings"
	"testing"
)

func TestTagIn(t *testing.T) {
	for environ, want := range map[string]string{
		"":                             "",
		"MPF_RUN=a/1/b\x00":            "a/1/b",
		"HOME=/\x00MPF_RUN=a\x00X=1":   "a",
		"XMPF_RUN=no\x00":              "",
		"XMPF_RUN=no\x00MPF_RUN=yes":   "yes",
		"X=MPF_RUN=no\x00MPF_RUNS=1":   "",
		"MPF_RUN=\x00MPF_RUN=2\x00":    "",
		"A=1\x00MPF_RUN=first\x00MPF_": "first",
	} {
		if got := tagIn([]byte(environ), tagVariable); got != want {
			t.Errorf("%q gave %q, want %q", environ, got, want)
		}
	}
}

// A tag is found wherever it stands in an environment of any size.
func TestTagsOfLargeEnvironments(t *testing.T) {
	for _, before := range []int{0, 4090, 16 << 10, 100 << 10} {
		c := exec.Command("cat")
		c.Env = []string{"LONG=" + strings.Repeat("x", before), tagVariable + "=here"}
		awaitMain(t, c)
		all, one := allTags(tagVariable), tagOf(c.Process.Pid, tagVariable)
		_ = c.Process.Kill()
		_ = c.Wait()
		if all[c.Process.Pid] != "here" || one != "here" {
			t.Errorf("behind %d bytes: got %q and %q", before, all[c.Process.Pid], one)
		}
	}
}

// awaitMain starts cat and returns once it has answered: while a program is
// loaded its environment cannot be read.
func awaitMain(t *testing.T, cat *exec.Cmd) {
	t.Helper()
	in, inErr := cat.StdinPipe()
	out, outErr := cat.StdoutPipe()
	if err := errors.Join(inErr, outErr, cat.Start()); err != nil {
		t.Fatal(err)
	}
	if _, err := in.Write([]byte{'x'}); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(out, make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
}
