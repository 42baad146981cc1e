package inventory

import _ "embed"

// Document says what a cluster file may hold, as Markdown.
//
//go:embed cluster.md
var Document string
