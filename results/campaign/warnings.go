package campaign

import (
	"fmt"

	"mpf/engine"
	"mpf/results/fsys"
)

// Warnings are doubts about the campaign itself, to be shown when it is opened.
func (c *Campaign) Warnings() []engine.Warning {
	var warnings []engine.Warning
	if fsys.OnNetwork(c.dir) {
		warnings = append(warnings, engine.Warning{
			Code: "network-storage",
			Text: fmt.Sprintf("%s lies on a network file system: its lock may not keep another machine's mpf away, and a sync may promise less than on a disk", c.dir),
		})
	}
	if torn := c.journal.Torn(); torn != "" {
		warnings = append(warnings, engine.Warning{
			Code: "torn-journal",
			Text: fmt.Sprintf("mpf was ended while it wrote: the last, unfinished entry is set aside in %s; no finished run is lost", torn),
		})
	}
	return warnings
}
