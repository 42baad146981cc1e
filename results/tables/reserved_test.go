package tables

import (
	"testing"

	"mpf/engine"
)

// No variable or result may have the name of a fixed column.
func TestFixedColumnsAreReservedNames(t *testing.T) {
	for _, c := range RunColumns() {
		if !engine.IsReserved(c.Name) {
			t.Errorf("%q is a fixed column and not reserved: add it to engine.ReservedColumns", c.Name)
		}
	}
}
