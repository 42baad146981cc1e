package engine

import (
	"slices"
	"strings"
)

// ReservedColumns are the fixed columns of the table of runs, and names that
// readers of tables keep for themselves.
var ReservedColumns = [...]string{
	"run_id", "replicate", "block", "position", "status", "cause", "message",
	"attempts", "plan", "invocation", "started", "seconds", "gap", "group",
	"attempt", "sequence", "orphaned", "shared_host", "warnings", "failed_step", "failed_host",
	"failed_where", "deployed", "role", "host", "step", "at", "rank",
}

// IsReserved reports whether no variable and no result may have a name. Case
// does not distinguish names of columns.
func IsReserved(name string) bool {
	lower := strings.ToLower(name)
	return strings.HasPrefix(lower, "host_") || slices.Contains(ReservedColumns[:], lower)
}
