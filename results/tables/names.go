package tables

import (
	"strconv"
	"strings"
)

// nameColumns gives every column of a table a name of its own. Case does not
// tell names apart, and a name that a reader reserves is not used: the column
// that comes later is called after its group then.
func nameColumns(ordered []*column) {
	used := map[string]bool{"at": true} // reserved in DuckDB
	for _, c := range ordered {
		name := c.script
		if used[strings.ToLower(name)] || name == "" {
			name = c.group.prefix() + name
		}
		for n, base := 2, name; used[strings.ToLower(name)]; n++ {
			name = base + "_" + strconv.Itoa(n)
		}
		used[strings.ToLower(name)] = true
		c.Name, c.Original = name, ""
		if name != c.script {
			c.Original = c.script
		}
	}
}

func (g group) prefix() string {
	switch g {
	case variables:
		return "variable_"
	case declared, undeclared:
		return "result_"
	}
	return "column_"
}
