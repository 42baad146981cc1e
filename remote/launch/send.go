package launch

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/pkg/sftp"

	"mpf/remote/agentbin"
	"mpf/remote/client"
)

// staleAfter is when an unfinished file of another mpf is nobody's any more.
const staleAfter = time.Hour

// send puts the agent into its folder.
func send(ctx context.Context, conn *client.Conn, a answer, bin agentbin.Binary) error {
	session, err := conn.Subsystem(ctx, "sftp")
	if tooMany := new(client.SessionsError); errors.As(err, &tooMany) {
		return err
	}
	if err != nil {
		return fmt.Errorf("the server has no sftp: %w (its sshd_config must hold: Subsystem sftp internal-sftp)", err)
	}
	defer session.Close()
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()
	c, err := sftp.NewClientPipe(session, pipe{session}, sftp.UseConcurrentWrites(true))
	if err != nil {
		return fmt.Errorf("sftp: %w", err)
	}
	defer c.Close()
	dir := path.Join(a.home, cacheDir)
	if err := prepare(c, dir, a.uid); err != nil {
		return err
	}
	if err := write(c, path.Join(dir, "agent-"+bin.SHA256), bin); err != nil {
		return fmt.Errorf("send the agent to %s: %w", dir, err)
	}
	return sweep(c, dir, "agent-"+bin.SHA256)
}

// pipe closes the session's stdin alone.
type pipe struct{ *client.Session }

// prepare makes the folder, or refuses one that others can write.
func prepare(c *sftp.Client, dir, uid string) error {
	for _, d := range []string{path.Dir(dir), dir} {
		if _, err := c.Lstat(d); !errors.Is(err, fs.ErrNotExist) {
			continue
		}
		err := c.Mkdir(d)
		if _, there := c.Lstat(d); there != nil {
			return fmt.Errorf("make %s: %w", d, err)
		}
	}
	info, err := c.Lstat(dir)
	if err != nil {
		return err
	}
	stat, ok := info.Sys().(*sftp.FileStat)
	if !ok || !info.IsDir() || strconv.FormatUint(uint64(stat.UID), 10) != uid {
		return fmt.Errorf("%s is no folder of user %s (look who made it, then remove it)", dir, uid)
	}
	if info.Mode().Perm() != 0o700 {
		return c.Chmod(dir, 0o700)
	}
	return nil
}

// write makes the file under another name and gives it its own when it is whole.
func write(c *sftp.Client, name string, bin agentbin.Binary) (err error) {
	temporary := name + "." + nonce() + ".tmp"
	f, err := c.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = c.Remove(temporary)
		}
	}()
	_, err = f.ReadFromWithConcurrency(bin.Reader(), 64)
	err = errors.Join(err, synced(f), f.Close())
	if err != nil {
		return err
	}
	info, err := c.Stat(temporary)
	if err != nil {
		return err
	}
	if info.Size() != bin.Size() {
		return fmt.Errorf("%d of %d bytes arrived", info.Size(), bin.Size())
	}
	if err := c.Chmod(temporary, 0o700); err != nil {
		return err
	}
	return c.PosixRename(temporary, name)
}

// synced puts the file on the disk, where the server can.
func synced(f *sftp.File) error {
	err := f.Sync()
	var status *sftp.StatusError
	if errors.As(err, &status) && status.FxCode() == sftp.ErrSSHFxOpUnsupported {
		return nil
	}
	return err
}

// sweep removes agents of other versions and what was never finished.
func sweep(c *sftp.Client, dir, keep string) error {
	entries, err := c.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		unfinished := strings.HasSuffix(e.Name(), ".tmp") && time.Since(e.ModTime()) < staleAfter
		if !strings.HasPrefix(e.Name(), "agent-") || e.Name() == keep || unfinished {
			continue
		}
		if err := c.Remove(path.Join(dir, e.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

func nonce() string {
	b := make([]byte, 8)
	_, _ = rand.Read(b) // never fails
	return hex.EncodeToString(b)
}
