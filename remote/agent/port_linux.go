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
			func() bool { return len(listeners(port, os.Getpid())) > 0 },
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

// listeners are the sockets that listen on a TCP port in the network namespace
// of a process, by the kernel's numbers for them.
func listeners(port, pid int) (sockets []string) {
	for _, table := range []string{"tcp", "tcp6"} {
		if content, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/net/" + table); err == nil {
			sockets = append(sockets, socketsOf(content, port)...)
		}
	}
	return sockets
}

// socketsOf reads a table of sockets: the second word is the local address with
// its port, the fourth the state, 0A for one that listens, the tenth its number.
func socketsOf(table []byte, port int) (listening []string) {
	for line := range bytes.Lines(table) {
		words := bytes.Fields(line)
		if len(words) < 10 || string(words[3]) != "0A" {
			continue
		}
		_, hex, _ := bytes.Cut(words[1], []byte{':'})
		if n, err := strconv.ParseUint(string(hex), 16, 16); err == nil && int(n) == port {
			listening = append(listening, string(words[9]))
		}
	}
	return listening
}
