// Package lock keeps a second engine out of a directory. The lock ends with its
// process, however that dies, so nobody ever has to remove one.
package lock

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"time"

	"mpf/results/fsys"
)

// Name is the name of the lock's file.
const Name = "LOCK"

// A holder is who holds the lock. It is for messages only: the lock itself ends
// with its process.
type holder struct {
	PID   int       `json:"pid"`
	Host  string    `json:"host"`
	Boot  string    `json:"boot_id,omitempty"`
	Since time.Time `json:"since"`
}

func me(now time.Time) holder {
	host, err := os.Hostname()
	if err != nil {
		host = "this machine"
	}
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		boot = nil // not every system has one
	}
	return holder{PID: os.Getpid(), Host: host, Boot: strings.TrimSpace(string(boot)), Since: now.UTC()}
}

// Take takes the lock of a tree for the life of the returned file. The file
// is never removed, so that nobody locks one that is no longer there.
func Take(tree fsys.FS, now time.Time) (fsys.File, error) {
	f, err := tree.OpenFile(Name, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return nil, err
	}
	if err := acquire(f); err != nil {
		if errors.Is(err, fsys.ErrLocked) {
			err = held(f)
		}
		return nil, errors.Join(err, f.Close())
	}
	text, err := json.Marshal(me(now))
	if err == nil {
		err = f.Truncate(0)
	}
	if err == nil {
		_, err = f.Write(append(text, '\n'))
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// handOver is how long the lock of a dead holder may stay held: a child that it
// had just forked shares the lock until it executes its program.
const handOver = 2 * time.Second

// acquire takes the lock, waiting only for what a dead holder left.
func acquire(f fsys.File) error {
	for begun := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		err := f.Lock()
		if !errors.Is(err, fsys.ErrLocked) || time.Since(begun) > handOver || !isDead(f) {
			return err
		}
	}
}

// isDead reports whether the holder whom a lock names was a process of this
// boot that has ended.
func isDead(f fsys.File) bool {
	h, ok := readHolder(f)
	if !ok || h.Boot != me(time.Time{}).Boot {
		return false
	}
	process, err := os.FindProcess(h.PID)
	return err != nil || errors.Is(process.Signal(syscall.Signal(0)), os.ErrProcessDone)
}

func readHolder(f fsys.File) (h holder, ok bool) {
	text := make([]byte, 4096)
	n, err := f.ReadAt(text, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return h, false
	}
	return h, json.Unmarshal(text[:n], &h) == nil && h.PID != 0
}

// HeldError says who holds a lock, as far as its file tells.
type HeldError struct {
	PID   int // 0: not known
	Host  string
	Since time.Time
}

func (e *HeldError) Error() string {
	if e.PID == 0 {
		return "another mpf is running it"
	}
	return fmt.Sprintf("mpf is running it: process %d on %s, since %s", e.PID, e.Host, e.Since.Format(time.RFC3339))
}

func (e *HeldError) Unwrap() error { return fsys.ErrLocked }

func held(f fsys.File) error {
	h, ok := readHolder(f)
	if !ok {
		return &HeldError{}
	}
	return &HeldError{PID: h.PID, Host: h.Host, Since: h.Since}
}
