package design

import (
	"strings"

	"mpf/engine"
)

// Lookup returns the runs whose ID begins with prefix. It looks through the
// first most runs of the design; all reports whether these are all there are.
func (d *Design) Lookup(prefix string, most int64) (found []engine.Run, all bool) {
	looked := int64(0)
	for b := range d.blocks {
		for run := range d.whole(b+1, engine.Places{}) {
			if looked == most {
				return found, false
			}
			looked++
			if strings.HasPrefix(run.ID.String(), prefix) {
				found = append(found, run)
			}
		}
	}
	return found, true
}
