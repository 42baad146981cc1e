package agent

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"mpf/remote/wire"
)

// hostLock is the file whose lock a campaign holds on a host: two campaigns at
// once would spoil each other's numbers. It is never removed. The environment may
// name another file, where one machine stands for several.
const (
	hostLock         = "/tmp/mpf-host.lock"
	hostLockVariable = "MPF_HOST_LOCK"
)

// lockHost takes the host for the life of this process: alone, or beside others
// that share it as well.
func lockHost(shared bool, describe func(pid int) string) error {
	path := os.Getenv(hostLockVariable)
	if path == "" {
		path = hostLock
	}
	how := syscall.LOCK_EX
	if shared {
		how = syscall.LOCK_SH
	}
	for {
		fd, err := openLock(path)
		if err != nil {
			return hostRefused("the host's lock %s: %v", path, err)
		}
		err = syscall.Flock(fd, how|syscall.LOCK_NB)
		if err == nil && sameFile(fd, path) {
			return nil // the descriptor stays open, and with it the lock
		}
		holder := lockHolder(fd)
		syscall.Close(fd)
		if err != nil {
			return busy(holder, describe)
		}
	}
}

func openLock(path string) (int, error) {
	for {
		fd, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_CLOEXEC|syscall.O_NONBLOCK, 0)
		if !errors.Is(err, syscall.ENOENT) {
			if err != nil {
				return -1, err
			}
			return fd, regular(fd)
		}
		fd, err = syscall.Open(path, syscall.O_RDONLY|syscall.O_CREAT|syscall.O_EXCL|syscall.O_NOFOLLOW|syscall.O_CLOEXEC, 0o444)
		if err == nil {
			// Its mode must not depend on this user's umask.
			return fd, syscall.Fchmod(fd, 0o444)
		}
		if !errors.Is(err, syscall.EEXIST) {
			return -1, err
		}
	}
}

func regular(fd int) error {
	var stat syscall.Stat_t
	if err := syscall.Fstat(fd, &stat); err != nil {
		return err
	}
	if stat.Mode&syscall.S_IFMT != syscall.S_IFREG {
		return errors.New("not a regular file")
	}
	return nil
}

// sameFile reports whether the locked file is still the one of that name.
func sameFile(fd int, path string) bool {
	var open, named syscall.Stat_t
	return syscall.Fstat(fd, &open) == nil && syscall.Lstat(path, &named) == nil &&
		open.Ino == named.Ino && open.Dev == named.Dev
}

// lockHolder looks for the process that holds the lock in the way; 0 if it
// cannot be told.
func lockHolder(fd int) int {
	var stat syscall.Stat_t
	locks, err := os.ReadFile("/proc/locks")
	if err != nil || syscall.Fstat(fd, &stat) != nil {
		return 0
	}
	file := fmt.Sprintf("%02x:%02x:%d", unix.Major(stat.Dev), unix.Minor(stat.Dev), stat.Ino)
	for line := range strings.Lines(string(locks)) {
		words := strings.Fields(line)
		if len(words) >= 6 && words[1] == "FLOCK" && words[5] == file {
			pid, _ := strconv.Atoi(words[4]) // 0 is no process
			return pid
		}
	}
	return 0
}

func busy(pid int, describe func(int) string) error {
	who := "another campaign"
	if engine := describe(pid); engine != "" {
		who = engine
	}
	if pid > 0 {
		who += fmt.Sprintf(" (agent with pid %d)", pid)
	}
	return hostRefused("the host is in use by %s: wait for its end, or give both --shared-host", who)
}

func hostRefused(format string, args ...any) error {
	return &wire.Error{Status: "unreachable", Cause: "link", Message: fmt.Sprintf(format, args...)}
}
