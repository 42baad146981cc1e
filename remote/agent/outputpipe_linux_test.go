package agent

import (
	"bytes"
	"syscall"
	"testing"
	"time"

	"mpf/remote/wire"
)

// A loop that is busy until long after a command's end reads nothing of it; what
// the command printed is there all the same.
func TestOutputIsReadWhenTheLoopIsBusy(t *testing.T) {
	l, err := newLoop()
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(l.epoll)
	s := &server{loop: l, children: newChildren(), slept: sleepClock()}
	w := &workspace{server: s, processes: map[uint32]*process{}}
	p := w.newProcess(1, &wire.Command{Argv: []string{"true"}})
	p.handle, p.started, p.open = -1, time.Now(), len(p.pipes)
	pipes, err := newOutputPipes()
	if err != nil {
		t.Fatal(err)
	}
	out, errs := pipes.out, pipes.errs
	p.pipes[0].fd, p.pipes[0].to = out[0], &p.stdout
	p.pipes[1].fd, p.pipes[1].to = errs[0], &p.stderr
	printed := bytes.Repeat([]byte("printed "), 8<<10/2)
	if _, err := syscall.Write(out[1], printed); err != nil {
		t.Fatal(err)
	}
	p.exited(0) // and a child still holds both pipes
	<-p.ended
	if got := p.stdout.snapshot().head; !bytes.Equal(got, printed) {
		t.Errorf("%d of %d bytes", len(got), len(printed))
	}
	for _, fd := range []int{out[1], errs[1]} {
		_ = syscall.Close(fd)
	}
}
