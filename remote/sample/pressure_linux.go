package sample

import (
	"os"
	"strconv"
	"strings"
)

// readPressure adds how long tasks have stalled since boot, for want of CPU,
// memory or disk: some of them, or all at once.
func readPressure(extra map[string]float64, w warnings) {
	for _, resource := range []string{"cpu", "memory", "io"} {
		text, err := os.ReadFile("/proc/pressure/" + resource)
		if err != nil {
			w.add("pressure", "this kernel tells no pressure stall information: %v", err)
			return
		}
		for line := range strings.Lines(string(text)) {
			kind, rest, _ := strings.Cut(line, " ")
			_, total, found := strings.Cut(rest, "total=")
			micros, err := strconv.ParseFloat(strings.TrimSpace(total), 64)
			if found && err == nil {
				extra[PressurePrefix+resource+"."+kind+"_seconds"] = micros / 1e6
			}
		}
	}
}
