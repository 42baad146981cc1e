package remotetest

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
)

// Tagged lists the living processes of this machine whose environment holds a
// text, such as the nonce of an attempt.
func Tagged(text string) []string {
	var found []string
	paths, _ := filepath.Glob("/proc/[0-9]*/environ") // the pattern is right
	for _, path := range paths {
		environ, err := os.ReadFile(path)
		if err == nil && bytes.Contains(environ, []byte(text)) {
			name, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "cmdline")) // it may have ended
			found = append(found, strings.ReplaceAll(string(name), "\x00", " "))
		}
	}
	return found
}
