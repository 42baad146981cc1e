package starlib

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"mpf/engine"
)

// loadText loads an experiment from text.
func loadText(t testing.TB, text string, o Options) (*engine.Experiment, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.star")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return Load(context.Background(), path, o)
}

func mustLoad(t testing.TB, text string) *engine.Experiment {
	t.Helper()
	e, err := loadText(t, text, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return e
}
