package starlib

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mpf/engine"
)

// Whatever a file holds, loading it ends within its bounds, with an experiment
// or with mistakes that have a place.
func FuzzLoadEndsWithAnExperimentOrMistakes(f *testing.F) {
	files, err := filepath.Glob("testdata/*.star")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for chunk := range strings.SplitSeq(string(content), "\n---\n") {
			if !strings.Contains(chunk, "1 << 40") {
				f.Add(chunk)
			}
		}
	}
	f.Add("experiment('x')\nr = role('r')\nr.step(lambda ctx: None)\n")
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text string) {
		path := filepath.Join(dir, "a.star")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		e, err := Load(t.Context(), path, Options{MaxSteps: 10_000, Timeout: 5 * time.Second})
		if took := time.Since(began); took > 30*time.Second {
			t.Errorf("took %s", took)
		}
		var mistakes engine.Mistakes
		switch {
		case err == nil && (len(e.Timeline) == 0 || e.Name == ""):
			t.Errorf("an experiment without name or step: %+v", e)
		case err != nil && (!errors.As(err, &mistakes) || len(mistakes) == 0):
			t.Errorf("got %v", err)
		}
		for _, m := range mistakes {
			if m.Pos.File == "" && !strings.HasPrefix(m.Message, "--flag") || m.Message == "" || strings.Contains(m.Message, "fault in") {
				t.Errorf("%+v", m)
			}
		}
	})
}
