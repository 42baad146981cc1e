package hostkeys

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha1"
	"encoding/base64"
	"errors"
	"io/fs"
	"os"
	"path"
	"strings"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"
)

// An entry is one line of a known_hosts file.
type entry struct {
	marker   string // "cert-authority", "revoked" or empty
	patterns []string
	key      ssh.PublicKey
	file     string
	line     int
}

// readFiles reads the entries of those files that are there.
func readFiles(files []string) ([]entry, error) {
	var entries []entry
	for _, file := range files {
		content, err := os.ReadFile(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		entries = append(entries, parse(file, content)...)
	}
	return entries, nil
}

func parse(file string, content []byte) []entry {
	var entries []entry
	for i, text := range bytes.Split(content, []byte("\n")) {
		text = bytes.TrimSpace(text)
		if len(text) == 0 || text[0] == '#' {
			continue
		}
		marker, patterns, key, _, _, err := ssh.ParseKnownHosts(text)
		if err == nil && (marker == "" || marker == "cert-authority" || marker == "revoked") {
			entries = append(entries, entry{marker, patterns, key, file, i + 1})
		}
	}
	return entries
}

// matches reports whether the entry is about a host, named as in known_hosts:
// host, or [host]:port where the port is not 22.
func (e entry) matches(name string) bool {
	matched := false
	for _, p := range e.patterns {
		if strings.HasPrefix(p, "|1|") {
			matched = matched || matchHashed(p, name)
			continue
		}
		negated := strings.TrimPrefix(p, "!")
		if !matchPattern(strings.ToLower(negated), name) {
			continue
		}
		if negated != p {
			return false
		}
		matched = true
	}
	return matched
}

// literal makes brackets letters to path.Match.
var literal = strings.NewReplacer(`[`, `\[`, `]`, `\]`, `\`, `\\`)

func matchPattern(pattern, name string) bool {
	ok, err := path.Match(literal.Replace(pattern), name)
	return err == nil && ok
}

// matchHashed compares |1|salt|HMAC-SHA1(salt, name).
func matchHashed(pattern, name string) bool {
	parts := strings.Split(pattern, "|")
	if len(parts) != 4 {
		return false
	}
	salt, saltErr := base64.StdEncoding.DecodeString(parts[2])
	sum, sumErr := base64.StdEncoding.DecodeString(parts[3])
	if saltErr != nil || sumErr != nil {
		return false
	}
	mac := hmac.New(sha1.New, salt)
	mac.Write([]byte(name))
	return hmac.Equal(mac.Sum(nil), sum)
}

// lineFor is the line that makes a key known.
func lineFor(name string, key ssh.PublicKey) string {
	return knownhosts.Line([]string{name}, key)
}
