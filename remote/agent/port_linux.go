package agent

import (
	"bytes"
	"os"
	"strconv"
	"sync/atomic"

	"mpf/remote/wire"
)

// waitPort answers once something listens. It never connects: a server that
// serves once would have served.
func (s *server) waitPort(id uint32, port int) {
	var cancelled atomic.Bool
	if err := s.enter(id, &call{cancel: func() { cancelled.Store(true) }}); err != nil {
		s.refuse(id, err)
		return
	}
	go func() {
		err := poll(
			func() bool { return listening(port, os.Getpid()) },
			func() error {
				if cancelled.Load() {
					return timedOut("nothing listens on port %d", port)
				}
				return nil
			})
		if err != nil {
			s.refuse(id, err)
			return
		}
		s.reply(id, wire.Response{}, nil)
	}()
}

// listening looks for a listening TCP socket in the network namespace of a
// process.
func listening(port, pid int) bool {
	for _, table := range []string{"tcp", "tcp6"} {
		content, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/net/" + table)
		if err == nil && listens(content, port) {
			return true
		}
	}
	return false
}

// listens reads a table of sockets: the second word is the local address with
// its port, the fourth the state, 0A for one that listens.
func listens(table []byte, port int) bool {
	for line := range bytes.Lines(table) {
		words := bytes.Fields(line)
		if len(words) < 4 || string(words[3]) != "0A" {
			continue
		}
		_, hex, _ := bytes.Cut(words[1], []byte{':'})
		if n, err := strconv.ParseUint(string(hex), 16, 16); err == nil && int(n) == port {
			return true
		}
	}
	return false
}
