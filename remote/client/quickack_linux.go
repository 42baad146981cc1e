package client

import (
	"net"

	"golang.org/x/sys/unix"
)

// quickAck returns what makes the kernel acknowledge at once. sshd leaves
// Nagle's algorithm on for sessions without a terminal: its second small packet
// waits for the acknowledgement of the first, which the kernel holds back for
// 40 ms otherwise. The option wears off, so it is set after each read.
func quickAck(conn net.Conn) func() {
	tcp, ok := conn.(*net.TCPConn)
	if !ok {
		return nil
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return nil
	}
	set := func(fd uintptr) { _ = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_QUICKACK, 1) }
	return func() { _ = raw.Control(set) }
}
