package inventory

import _ "embed"

// Schema is the JSON Schema of cluster files, for editors.
//
//go:embed cluster.schema.json
var Schema string
