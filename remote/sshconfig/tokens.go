package sshconfig

import (
	"path/filepath"
	"strings"

	"mpf/engine"
)

// path puts tokens, environment and home into a file name; one that is not
// whole then is relative to the working folder, as for ssh.
func (r *resolution) path(word, text string, pos engine.Pos) string {
	home, err := r.config.home(pos, text)
	if err != nil {
		if r.failed == nil {
			r.failed = err
		}
		return ""
	}
	path := r.expand(word, home, pos, r.tokens())
	whole, err := filepath.Abs(path)
	if err != nil {
		r.fail(pos, "%s %q: %v", word, path, err)
	}
	return whole
}

func (r *resolution) tokens() map[byte]string {
	s, user := r.settings, r.config.user
	key := s.HostKeyAlias
	if key == "" {
		key = s.Alias
	}
	short, _, _ := strings.Cut(user.Hostname, ".")
	return map[byte]string{
		'd': user.Home, 'h': s.HostName, 'k': key, 'L': short, 'l': user.Hostname,
		'n': s.Alias, 'p': s.Port, 'r': s.User, 'u': user.Name,
	}
}

func (r *resolution) expand(word, text string, pos engine.Pos, tokens map[byte]string) string {
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '%' {
			out.WriteByte(text[i])
			continue
		}
		i++
		switch {
		case i == len(text):
			r.fail(pos, "%s %q: ends in %%", word, text)
		case text[i] == '%':
			out.WriteByte('%')
		default:
			value, known := tokens[text[i]]
			if !known {
				r.fail(pos, "%s %q: unknown token %%%c", word, text, text[i])
			}
			out.WriteString(value)
		}
	}
	return out.String()
}
