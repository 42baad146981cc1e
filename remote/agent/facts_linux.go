package agent

import (
	"mpf/remote/wire"
)

func (s *server) facts(id uint32, tools []string) {
	s.reply(id, wire.Response{Facts: s.readFacts(tools)}, nil)
}
func (s *server) readFacts(tools []string) map[string]any { return map[string]any{} }
