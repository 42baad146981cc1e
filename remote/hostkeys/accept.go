package hostkeys

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"golang.org/x/crypto/ssh"
	"golang.org/x/sys/unix"
)

// accept notes the key of a host that is not known. Whoever was faster decides:
// the files are read again under the lock.
func (c Checker) accept(key ssh.PublicKey) error {
	if len(c.Files) == 0 {
		return &UnknownError{c, key}
	}
	path := c.Files[0]
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != nil {
		return fmt.Errorf("%s: lock: %w", path, err)
	}
	entries, err := readFiles(c.Files)
	if err != nil {
		return err
	}
	err = c.checkKey(entries, key)
	if _, unknown := err.(*UnknownError); !unknown {
		return err
	}
	return appendLine(f, lineFor(c.Name(), key))
}

// appendLine adds a line of its own to a file that may not end in one.
func appendLine(f *os.File, line string) error {
	content, err := io.ReadAll(f)
	if err != nil {
		return err
	}
	if len(content) > 0 && !bytes.HasSuffix(content, []byte("\n")) {
		line = "\n" + line
	}
	_, err = f.WriteString(line + "\n")
	return err
}
