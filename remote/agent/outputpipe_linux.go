package agent

import (
	"errors"
	"sync"
	"syscall"
)

// An outputPipe is the end of a pipe that is read. It is closed once, and not
// while it is read: its number may be another file's the moment after.
type outputPipe struct {
	fd int
	to *capture

	mu     sync.Mutex
	closed bool
}

// read takes once what there is to read, and reports whether there was anything.
func (p *process) read(pipe *outputPipe, buffer []byte) bool {
	n, err := pipe.take(buffer)
	if n < 0 && !errors.Is(err, syscall.EAGAIN) && !errors.Is(err, syscall.EINTR) || n == 0 {
		p.closePipe(pipe)
	}
	return n > 0
}

// take reads once. Two who read keep the order.
func (pipe *outputPipe) take(buffer []byte) (int, error) {
	pipe.mu.Lock()
	defer pipe.mu.Unlock()
	if pipe.closed {
		return -1, syscall.EAGAIN
	}
	n, err := syscall.Read(pipe.fd, buffer)
	if n > 0 {
		// A capture takes everything.
		_, _ = pipe.to.Write(buffer[:n])
	}
	return n, err
}

// mostLeft bounds what is read of a pipe whose command has ended: something that
// it left behind may write without end.
const mostLeft = 1 << 20

// drain reads what is left in the pipes, which the loop may have had no time for,
// and closes them.
func (p *process) drain() {
	buffer := make([]byte, 64<<10)
	for i := range p.pipes {
		pipe := &p.pipes[i]
		for range mostLeft / len(buffer) {
			if !p.read(pipe, buffer) {
				break
			}
		}
		p.closePipe(pipe)
	}
}

// closePipe ends the reading of a pipe.
func (p *process) closePipe(pipe *outputPipe) {
	pipe.mu.Lock()
	closed := pipe.closed
	pipe.closed = true
	if !closed {
		p.owner.server.loop.close(pipe.fd)
	}
	pipe.mu.Unlock()
	if closed {
		return
	}
	p.mu.Lock()
	p.open--
	last, over := p.open == 0, p.over
	p.mu.Unlock()
	switch {
	case last && over:
		p.finish()
	case last:
		// Most often the command has just ended: no need to wait to be told.
		p.owner.server.children.reap()
	}
}
