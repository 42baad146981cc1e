package agent

import (
	"errors"
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// runAlone runs a program. It needs nobody but this goroutine: neither the loop
// nor a reaper.
func runAlone(argv ...string) error {
	_, err := outputAlone(argv...)
	return err
}

// outputAlone returns what the program printed as well.
func outputAlone(argv ...string) ([]byte, error) {
	path, err := lookPath(argv[0], os.Environ(), "/")
	if err != nil {
		return nil, err
	}
	fd, err := unix.MemfdCreate("stdout", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, err
	}
	defer syscall.Close(fd)
	out := uintptr(fd)
	pid, err := syscall.ForkExec(path, argv, &syscall.ProcAttr{Env: os.Environ(), Files: []uintptr{out, out, out}})
	if err != nil {
		return nil, err
	}
	var status syscall.WaitStatus
	// One that somebody else has reaped has ended as well.
	if _, err := syscall.Wait4(pid, &status, 0, nil); err != nil && !errors.Is(err, syscall.ECHILD) || status.ExitStatus() != 0 {
		return nil, failed("%q ended with %d", argv[0], status.ExitStatus())
	}
	return os.ReadFile("/proc/self/fd/" + strconv.Itoa(fd))
}
