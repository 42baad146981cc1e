package naming

import (
	"fmt"
	"strings"

	"mpf/engine/spelling"
)

// Suggest says which of the names was meant, or lists them.
func Suggest(name string, names []string, kind string) string {
	if near := spelling.Nearest(name, names); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	if len(names) == 0 {
		return "none is declared"
	}
	const most = 12
	if len(names) > most {
		names = append(names[:most:most], "...")
	}
	return fmt.Sprintf("the %s: %s", kind, strings.Join(names, ", "))
}
