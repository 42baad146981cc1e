package agent

import (
	"errors"
	"sync"
	"syscall"
)

// A pipeStock holds the pipes of the next command, made while nobody waits for
// it.
type pipeStock struct {
	mu   sync.Mutex
	next *outputPipes
}

// outputPipes are those of one command. The ends that stay here do not block.
type outputPipes struct{ out, errs [2]int }

// take returns pipes, made now if there are none.
func (s *pipeStock) take() (*outputPipes, error) {
	s.mu.Lock()
	pipes := s.next
	s.next = nil
	s.mu.Unlock()
	if pipes != nil {
		return pipes, nil
	}
	return newOutputPipes()
}

// fill makes pipes for the next command. Should it fail, take says why.
func (s *pipeStock) fill() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.next == nil {
		s.next, _ = newOutputPipes()
	}
}

func newOutputPipes() (*outputPipes, error) {
	p := new(outputPipes)
	if err := outputEnds(&p.out); err != nil {
		return nil, err
	}
	if err := outputEnds(&p.errs); err != nil {
		return nil, errors.Join(err, syscall.Close(p.out[0]), syscall.Close(p.out[1]))
	}
	return p, nil
}

// outputEnds makes a pipe whose reading end does not block.
func outputEnds(ends *[2]int) error {
	if err := syscall.Pipe2(ends[:], syscall.O_CLOEXEC); err != nil {
		return err
	}
	if _, _, errno := syscall.RawSyscall(syscall.SYS_FCNTL, uintptr(ends[0]), syscall.F_SETFL, syscall.O_NONBLOCK); errno != 0 {
		return errors.Join(errno, syscall.Close(ends[0]), syscall.Close(ends[1]))
	}
	return nil
}
