package agent

import (
	"path/filepath"

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
	files := facts{}
	for _, pattern := range r.Paths {
		paths, _ := filepath.Glob(pattern) // a pattern that is wrong matches nothing
		for _, path := range paths[:min(len(paths), mostFiles-len(files))] {
			text := fileText(path)
			files[path] = text[:min(len(text), mostLooked)]
		}
	}
	s.reply(id, wire.Response{Facts: files}, nil)
}
