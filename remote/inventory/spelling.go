package inventory

import (
	"fmt"

	"mpf/engine/spelling"
)

// suggestion is the hint that names the known word nearest to what was
// written, or empty if none is near.
func suggestion(written string, known []string) string {
	if best := spelling.Nearest(written, known); best != "" {
		return fmt.Sprintf("did you mean %q?", best)
	}
	return ""
}
