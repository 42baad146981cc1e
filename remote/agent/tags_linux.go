package agent

import (
	"bytes"
	"strconv"
	"syscall"
)

// tagOf returns the value of the tag in a process's environment; empty where it
// has none or may not be read.
func tagOf(pid int, variable string) string {
	tag, _ := findTag(pid, variable, make([]byte, 4<<10))
	return tag
}

// allTags returns the tags of all processes that have one. It looks at
// environments only: on most hosts there is no such process, and nothing else is
// to be known of the others.
func allTags(variable string) map[int]string {
	tags := map[int]string{}
	buffer := make([]byte, 16<<10)
	for _, pid := range allPIDs() {
		var tag string
		if tag, buffer = findTag(pid, variable, buffer); tag != "" {
			tags[pid] = tag
		}
	}
	return tags
}

// findTag reads into a buffer, which it returns: it may have grown.
func findTag(pid int, variable string, buffer []byte) (string, []byte) {
	fd, err := syscall.Open("/proc/"+strconv.Itoa(pid)+"/environ", syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return "", buffer
	}
	defer syscall.Close(fd)
	length := 0
	for {
		n, err := syscall.Read(fd, buffer[length:])
		length += max(n, 0)
		if err != nil || length < len(buffer) {
			return tagIn(buffer[:length], variable), buffer
		}
		buffer = append(buffer, make([]byte, len(buffer))...)
	}
}

// tagIn finds a variable among pairs that end with a zero.
func tagIn(environ []byte, variable string) string {
	name := []byte(variable + "=")
	for rest := environ; ; {
		at := bytes.Index(rest, name)
		if at < 0 {
			return ""
		}
		begins := at == 0 || rest[at-1] == 0
		if rest = rest[at+len(name):]; begins {
			value, _, _ := bytes.Cut(rest, []byte{0})
			return string(value)
		}
	}
}
