package tables

import (
	"bytes"
	"testing"
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
	golden(t, "document.golden", b.String())
}
