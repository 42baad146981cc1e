//go:build !emulated

package agent

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// becomeReaper makes this process inherit what its descendants leave behind.
func becomeReaper() error {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("become a reaper: %w", err)
	}
	return nil
}
