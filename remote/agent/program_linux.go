package agent

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"mpf/remote/wire"
)

// lookPath finds a program as the command's own PATH says.
func lookPath(program string, env []string, dir string) (string, error) {
	if strings.Contains(program, "/") {
		return program, nil
	}
	for folders := lookup(env, "PATH"); folders != ""; {
		var folder string
		folder, folders, _ = strings.Cut(folders, ":")
		if path := inFolder(dir, folder) + "/" + program; executable(path) {
			return path, nil
		}
	}
	return "", failed("command %q: not found on this host", program)
}

// inFolder is a path as a process in a folder understands it.
func inFolder(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// executable reports whether a path is a file that somebody may execute.
func executable(path string) bool {
	var info syscall.Stat_t
	return syscall.Stat(path, &info) == nil && info.Mode&syscall.S_IFMT == syscall.S_IFREG && info.Mode&0o111 != 0
}

// startError says what the kernel meant.
func startError(c *wire.Command, program, path, dir string, err error) error {
	if _, statErr := os.Stat(dir); statErr != nil {
		return failed("command %q: no folder %q to run it in", c.Argv[0], dir)
	}
	switch {
	case errors.Is(err, syscall.ENOENT) && executable(inFolder(dir, path)):
		return failed("command %q: what it is to be run by is not on this host (see its #! line)", program)
	case errors.Is(err, syscall.ENOENT):
		return failed("command %q: not found on this host", program)
	case errors.Is(err, syscall.EACCES):
		return failed("command %q: not executable", program)
	case errors.Is(err, syscall.ENOEXEC):
		return failed("command %q: neither a binary of this machine nor a script with a #! line", program)
	}
	return failed("command %q: %v", program, err)
}
