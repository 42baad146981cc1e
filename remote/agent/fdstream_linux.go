package agent

import (
	"errors"
	"io"
	"syscall"
)

// The descriptors through which the controller speaks.
const (
	stdin  = 0
	stdout = 1
)

// fdStream reads and writes file descriptors with plain system calls: a
// goroutine that waits here is woken by the kernel itself.
type fdStream struct{ in, out int }

func (s fdStream) Read(p []byte) (int, error) {
	for {
		n, err := syscall.Read(s.in, p)
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case err != nil:
			return 0, err
		case n == 0:
			return 0, io.EOF
		}
		return n, nil
	}
}

func (s fdStream) Write(p []byte) (int, error) {
	written := 0
	for written < len(p) {
		n, err := syscall.Write(s.out, p[written:])
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		if err != nil {
			return written, err
		}
		written += n
	}
	return written, nil
}
