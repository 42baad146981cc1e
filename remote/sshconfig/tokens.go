package sshconfig

import (
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"os/user"
	"path/filepath"
	"strings"

	"mpf/engine"
)

// A target is what tokens stand for.
type target struct {
	user                                User
	alias, host, port, login, key, jump string
}

// target is what they stand for as far as that is known yet.
func (m *matcher) target(pos engine.Pos) target {
	t := target{user: m.user, alias: m.given.alias, host: m.hostName(pos), port: m.given.port, login: m.login()}
	if port, there := m.value("port"); t.port == "" && there {
		t.port = port
	}
	if t.port == "" {
		t.port = "22"
	}
	t.key = t.host
	if alias, there := m.value("hostkeyalias"); there {
		t.key = alias
	}
	if way, there := m.value("proxyjump"); there && !strings.EqualFold(way, "none") {
		t.jump = lastJump(way)
	}
	return t
}

// lastJump is the host of the last hop of a way.
func lastJump(way string) string {
	j, err := parseJump(strings.TrimSpace(way[strings.LastIndexByte(way, ',')+1:]))
	if err != nil {
		return ""
	}
	return j.Host
}

func (t target) tokens() map[byte]string {
	short, _, _ := strings.Cut(t.user.Hostname, ".")
	return map[byte]string{
		'C': t.hash(), 'd': t.user.Home, 'h': t.host, 'i': t.user.ID, 'j': t.jump, 'k': t.key, 'L': short,
		'l': t.user.Hostname, 'n': t.alias, 'p': t.port, 'r': t.login, 'u': t.user.Name,
	}
}

// hash tells connections apart, as ssh does.
func (t target) hash() string {
	sum := sha1.Sum([]byte(t.user.Hostname + t.host + t.port + t.login + t.jump))
	return hex.EncodeToString(sum[:])
}

// path puts tokens, environment and home into a file name; one that is not
// whole then is relative to the working folder, as for ssh.
func (r *resolution) path(word, text string, pos engine.Pos) string {
	atHome, err := home(r.user, pos, text)
	if err != nil {
		if r.failed == nil {
			r.failed = err
		}
		return ""
	}
	path := r.expand(word, atHome, pos, r.target().tokens())
	whole, err := filepath.Abs(path)
	if err != nil {
		r.fail(pos, "%s %q: %v", word, path, err)
	}
	return whole
}

// home puts home folders and environment variables into a path.
func home(me User, pos engine.Pos, path string) (string, error) {
	if rest, ok := strings.CutPrefix(path, "~"); ok {
		name, rest, _ := strings.Cut(rest, "/")
		folder := me.Home
		if name != "" {
			other, err := user.Lookup(name)
			if err != nil {
				return "", engine.Mistake{Pos: pos, Message: fmt.Sprintf("%q: no home of user %q", path, name), Hint: "write the whole path"}
			}
			folder = other.HomeDir
		}
		path = strings.TrimSuffix(folder+"/"+rest, "/")
	}
	return environment(me, pos, path)
}

// expand puts tokens into a text.
func (m *matcher) expand(word, text string, pos engine.Pos, tokens map[byte]string) string {
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '%' {
			out.WriteByte(text[i])
			continue
		}
		i++
		switch {
		case i == len(text):
			m.fail(pos, "%s %q: ends in %%", word, text)
		case text[i] == '%':
			out.WriteByte('%')
		default:
			value, known := tokens[text[i]]
			if !known {
				m.fail(pos, "%s %q: unknown token %%%c", word, text, text[i])
			}
			out.WriteString(value)
		}
	}
	return out.String()
}
