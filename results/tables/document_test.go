package tables

import (
	"bytes"
	"path/filepath"
	"testing"

	"mpf/engine/enginetest"
)

func TestEveryColumnIsDocumented(t *testing.T) {
	var b bytes.Buffer
	if err := WriteDocument(&b); err != nil {
		t.Fatal(err)
	}
	for _, s := range Document() {
		for _, c := range s.Columns {
			if c.Description == "" || c.Role == "" {
				t.Errorf("%s: column %q says nothing of itself", s.File, c.Name)
			}
		}
	}
	enginetest.Golden(t, filepath.Join("testdata", "document.golden"), b.String(), *update)
}
