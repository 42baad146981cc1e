package agent

import (
	"bytes"
	"errors"
	"path/filepath"
	"strings"
	"syscall"

	"mpf/remote/wire"
)

// mostLooked bounds what is sent of a file, mostFiles how many files are.
const (
	mostLooked = 16 << 10
	mostFiles  = 1 << 12
)

// look answers with the files that patterns match, or with what a program
// printed. A file that cannot be read is empty.
func (s *server) look(id uint32, r *wire.Request) {
	if r.Command != nil {
		out, err := s.helper(r.Command.Argv...)
		if err != nil {
			s.refuse(id, err)
			return
		}
		s.reply(id, wire.Response{Message: out}, nil)
		return
	}
	l := looker{matched: map[string][]string{}, listed: map[string][]string{}, buffer: make([]byte, mostLooked)}
	var body []byte
	left := mostFiles
	for _, pattern := range r.Paths {
		for _, path := range l.paths(pattern) {
			text, there := l.read(path)
			if there && left > 0 {
				left--
				body = wire.AppendFile(body, path, bytes.TrimSpace(text))
			}
		}
	}
	s.reply(id, wire.Response{}, body)
}

// A looker finds and reads small files. Those of a host's processors lie in
// folders that have many patterns in common: it looks into each once.
type looker struct {
	matched map[string][]string // paths by pattern
	listed  map[string][]string // names by folder
	buffer  []byte
}

// paths are those that a pattern matches. Whether there is a file is not known
// yet: it may have a name without a pattern.
func (l *looker) paths(pattern string) []string {
	if !isPattern(pattern) {
		return []string{pattern}
	}
	if known, ok := l.matched[pattern]; ok {
		return known
	}
	folders, last := filepath.Split(pattern)
	var paths []string
	for _, folder := range l.paths(strings.TrimSuffix(folders, "/")) {
		if !isPattern(last) {
			paths = append(paths, folder+"/"+last)
			continue
		}
		for _, name := range l.list(folder) {
			// A pattern that is wrong matches nothing.
			if ok, err := filepath.Match(last, name); ok && err == nil {
				paths = append(paths, folder+"/"+name)
			}
		}
	}
	l.matched[pattern] = paths
	return paths
}

func isPattern(path string) bool { return strings.ContainsAny(path, `*?[\`) }

// list names what is in a folder; nothing where there is none.
func (l *looker) list(folder string) []string {
	if known, ok := l.listed[folder]; ok {
		return known
	}
	names := namesIn(folder + "/")
	l.listed[folder] = names
	return names
}

// read returns the beginning of a file, until the next read, and whether it is
// there.
func (l *looker) read(path string) (text []byte, there bool) {
	fd, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		var info syscall.Stat_t
		return nil, syscall.Lstat(path, &info) == nil
	}
	defer syscall.Close(fd)
	length := 0
	for length < len(l.buffer) {
		n, err := syscall.Read(fd, l.buffer[length:])
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case err != nil:
			return nil, true
		case n == 0:
			return l.buffer[:length], true
		}
		length += n
	}
	return l.buffer, true
}
