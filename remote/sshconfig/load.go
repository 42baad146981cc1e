package sshconfig

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"mpf/engine"
)

// maxDepth is how deep files may include each other, as in OpenSSH.
const maxDepth = 16

// maxFile bounds each file.
const maxFile = 1 << 20

// A User is the person on the controller whose configuration is read.
type User struct {
	Name     string
	ID       string
	Home     string
	Hostname string // of the controller
	Getenv   func(string) string

	// LookupCNAME says where a name that has an address leads.
	LookupCNAME func(ctx context.Context, name string) (string, error)
}

// A Config is the content of configuration files.
type Config struct {
	user  User
	lines []line
}

// Load reads the files in OpenSSH's order: the user's, then the system's. A
// file given takes the place of both; unlike those it must be there.
func Load(user User, given string) (*Config, error) {
	c := &Config{user: user}
	if given != "" {
		lines, err := c.file(given, filepath.Join(user.Home, ".ssh"), 0)
		if err != nil {
			return nil, err
		}
		c.lines = lines
		return c, nil
	}
	for _, path := range []string{filepath.Join(user.Home, ".ssh", "config"), "/etc/ssh/ssh_config"} {
		lines, err := c.file(path, filepath.Dir(path), 0)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		// A file begins outside of the blocks of the file before.
		c.lines = append(c.lines, line{word: "host", args: []string{"*"}})
		c.lines = append(c.lines, lines...)
	}
	return c, nil
}

// file reads one file and those that it includes. Relative names in Include
// are relative to base.
func (c *Config) file(path, base string, depth int) ([]line, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("%s: included more than %d deep", path, maxDepth)
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxFile {
		return nil, fmt.Errorf("%s: not a regular file of at most %d bytes", path, maxFile)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	lines, err := parse(path, string(content))
	if err != nil {
		return nil, err
	}
	for i := range lines {
		if lines[i].word == "include" {
			if err := c.include(&lines[i], base, depth); err != nil {
				return nil, err
			}
		}
	}
	return lines, nil
}

func (c *Config) include(l *line, base string, depth int) error {
	for _, pattern := range l.args {
		pattern, err := home(c.user, l.pos, pattern)
		if err != nil {
			return err
		}
		if !filepath.IsAbs(pattern) {
			pattern = filepath.Join(base, pattern)
		}
		paths, err := filepath.Glob(pattern)
		if err != nil {
			return engine.Mistake{Pos: l.pos, Message: fmt.Sprintf("include: %q: %v", pattern, err)}
		}
		sort.Strings(paths)
		for _, path := range paths {
			lines, err := c.file(path, base, depth+1)
			if err != nil {
				return err
			}
			l.included = append(l.included, lines...)
			l.included = append(l.included, line{word: endOfFile})
		}
	}
	return nil
}

// endOfFile is a word that no file can hold: behind it the block is that of the
// Include again.
const endOfFile = "\x00"

func environment(me User, pos engine.Pos, path string) (string, error) {
	for {
		start := strings.Index(path, "${")
		if start < 0 {
			return path, nil
		}
		length := strings.IndexByte(path[start:], '}')
		if length < 0 {
			return "", engine.Mistake{Pos: pos, Message: fmt.Sprintf("%q: ${ that is not closed", path)}
		}
		name := path[start+2 : start+length]
		value := me.Getenv(name)
		if value == "" || strings.Contains(value, "${") {
			return "", engine.Mistake{Pos: pos, Message: fmt.Sprintf("%q: environment variable %s is not set", path, name)}
		}
		path = path[:start] + value + path[start+length+1:]
	}
}
