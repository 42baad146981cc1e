package standing

import (
	"path/filepath"

	"mpf/engine"
	"mpf/engine/design"
	"mpf/starlib/code"
)

// edits names the functions and the constants that differ. Their places are in
// the folder of the experiment's file, as that is shown.
func edits(old, new *engine.Experiment) (found []design.Change) {
	for _, e := range code.Edits(old.Sources, new.Sources) {
		if e.Pos.IsValid() {
			e.Pos.File = filepath.Join(folderOf(new), e.Pos.File)
		}
		found = append(found, design.Change{Kind: design.ChangedStep, Text: e.Text, Pos: e.Pos})
	}
	return found
}

// folderOf returns the folder of an experiment's file, as places in it show it.
func folderOf(e *engine.Experiment) string {
	for _, role := range e.Roles {
		if role.Pos.IsValid() {
			return filepath.Dir(role.Pos.File)
		}
	}
	return ""
}
