package agent

import (
	"errors"
	"syscall"
)

// forkExec starts a program, if it must without what an old kernel, the filter of
// a container or an emulator refuses: its control group from the start, and a
// handle for it, which is -1 then.
func forkExec(path string, argv []string, attr *syscall.ProcAttr) (int, error) {
	pid, err := syscall.ForkExec(path, argv, attr)
	if attr.Sys.UseCgroupFD && (errors.Is(err, syscall.ENOSYS) || errors.Is(err, syscall.EPERM)) {
		attr.Sys.UseCgroupFD = false
		pid, err = syscall.ForkExec(path, argv, attr)
	}
	if attr.Sys.PidFD != nil && (errors.Is(err, syscall.ENOSYS) || errors.Is(err, syscall.EINVAL)) {
		*attr.Sys.PidFD = -1
		attr.Sys.PidFD = nil
		pid, err = syscall.ForkExec(path, argv, attr)
	}
	return pid, err
}
