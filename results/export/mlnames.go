package export

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"strings"
)

// maxMLName is how long a name may be.
const maxMLName = 50

// MLflowNames gives each name one that MLflow takes: of letters, digits, _, -,
// ., / and space, and at most 50 of them. Names that cannot be kept apart are an
// error that says which they are.
func MLflowNames(names []string) (map[string]string, error) {
	clean := map[string]string{}
	for _, name := range names {
		text := mlName(name)
		if text == "" || text == "." || path.Clean(text) != text || strings.HasPrefix(text, "/") || strings.HasPrefix(text, "..") {
			return nil, fmt.Errorf("name %q: MLflow takes none of this form", name)
		}
		for other, taken := range clean {
			if taken == text || strings.HasPrefix(taken, text+"/") || strings.HasPrefix(text, taken+"/") {
				return nil, fmt.Errorf("names %q and %q: MLflow cannot keep them apart", other, name)
			}
		}
		clean[name] = text
	}
	return clean, nil
}

// mlName drops what MLflow does not take. A long name keeps its beginning and
// ends in a part of the hash of the whole.
func mlName(name string) string {
	text := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', strings.ContainsRune("_-./ ", r):
			return r
		}
		return -1
	}, name)
	if len(text) <= maxMLName {
		return text
	}
	sum := sha256.Sum256([]byte(name))
	return text[:maxMLName-9] + "_" + hex.EncodeToString(sum[:])[:8]
}
