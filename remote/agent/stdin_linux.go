package agent

import (
	"errors"
	"fmt"
	"syscall"

	"golang.org/x/sys/unix"

	"mpf/remote/wire"
)

// stdinInPipe is what a pipe holds without anybody reading it.
const stdinInPipe = 64 << 10

// openStdin gives the command what it reads: nothing, a filled pipe, a file in
// memory, or a file.
func (p *process) openStdin(c *wire.Command, stdin []byte) (int, error) {
	switch {
	case c.StdinFile != "":
		return syscall.Open(p.owner.resolve(c.StdinFile), syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	case len(stdin) == 0:
		return p.owner.server.null, nil
	case len(stdin) <= stdinInPipe:
		return filledPipe(stdin)
	}
	fd, err := unix.MemfdCreate("stdin", unix.MFD_CLOEXEC)
	if err != nil {
		return -1, fmt.Errorf("hold stdin: %w", err)
	}
	if _, err := (fdStream{out: fd}).Write(stdin); err != nil {
		return -1, errors.Join(fmt.Errorf("hold stdin: %w", err), syscall.Close(fd))
	}
	if _, err := syscall.Seek(fd, 0, 0); err != nil {
		return -1, errors.Join(fmt.Errorf("hold stdin: %w", err), syscall.Close(fd))
	}
	return fd, nil
}

func filledPipe(content []byte) (int, error) {
	var ends [2]int
	if err := syscall.Pipe2(ends[:], syscall.O_CLOEXEC); err != nil {
		return -1, err
	}
	_, err := fdStream{out: ends[1]}.Write(content)
	return ends[0], errors.Join(err, syscall.Close(ends[1]))
}

func closeStdin(fd, null int) {
	if fd != null {
		syscall.Close(fd) // it was only read
	}
}
