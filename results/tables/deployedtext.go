package tables

import (
	"strings"

	"mpf/engine"
)

const withChanges = " with changes, sha256:"

// deployedTexts says of each source that was deployed what exactly it was.
func deployedTexts(deployed []engine.Deployed) []engine.Value {
	var texts []engine.Value
	for _, d := range deployed {
		text := d.Role + ": " + d.Source + " at " + d.Revision
		if d.Dirty {
			text += withChanges + d.SHA256
		}
		if d.Source != "" {
			texts = append(texts, text)
		}
	}
	return texts
}

// parseDeployed reads what deployedTexts wrote.
func parseDeployed(text string) engine.Deployed {
	var d engine.Deployed
	d.Role, text, _ = strings.Cut(text, ": ")
	text, d.SHA256, d.Dirty = strings.Cut(text, withChanges)
	if at := strings.LastIndex(text, " at "); at >= 0 {
		d.Source, d.Revision = text[:at], text[at+len(" at "):]
	}
	return d
}
