// Package lastword is what a campaign says when it cannot write any more: a file
// for which room was kept while there was some.
package lastword

import (
	"encoding/json"

	"mpf/results/fsys"
)

// Name is the name of the file.
const Name = "failure.json"

// A Failure is what a campaign says of the error of storage that ended it.
type Failure struct {
	Error       string   `json:"error"`
	LastDurable uint64   `json:"last_durable_frame"`
	OpenRuns    []string `json:"open_runs"`
}

// Say frees the room and writes the file. It has no error of its own: the one that
// led here is what matters, and it is on its way to the user.
func Say(tree fsys.FS, f Failure) {
	text, err := json.MarshalIndent(f, "", "  ")
	if err == nil && tree.Check() == nil && fsys.RemoveTree(tree, reserveName) == nil {
		_ = fsys.WriteFile(tree, Name, append(text, '\n'))
	}
}

// Forget removes what an earlier invocation said.
func Forget(tree fsys.FS) error { return fsys.RemoveTree(tree, Name) }
