package design

import (
	"strings"

	"mpf/engine"
)

// Lookup returns the runs whose ID begins with prefix. It looks through the
// first most runs of the design; all reports whether these are all there are.
func (d *Design) Lookup(prefix string, most int64) (found []engine.Run, all bool) {
	looked := int64(0)
	for b := 1; b <= d.blocks; b++ {
		o := d.order.block(b)
		for i := range d.places(o) {
			if looked == most {
				return found, false
			}
			looked++
			if run := d.run(o, b, i); strings.HasPrefix(run.ID.String(), prefix) {
				found = append(found, run)
			}
		}
	}
	return found, true
}
