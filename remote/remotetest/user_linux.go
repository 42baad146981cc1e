package remotetest

import (
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"mpf/engine/enginetest"
)

//go:embed user.sh
var userScript string

// A User has no privileges. It exists where Inside leads: there the accounts,
// what sudo allows, root's home and the lock of the host are the test's own; all
// else is this machine's.
type User struct {
	Name string
	Home string

	RootHome string // of root, there

	dir string
}

// userID is of no account on a machine that tests run on.
const userID = 4242

// NewUser makes a user to whom sudo allows what is said, such as "NOPASSWD: ALL";
// nothing where that is empty. It needs root.
func NewUser(t testing.TB, sudoers string) *User {
	t.Helper()
	enginetest.NeedRoot(t)
	enginetest.Need(t, "unshare", "setpriv", "sudo")
	u := &User{Name: "alice", dir: openDir(t)}
	u.Home, u.RootHome = filepath.Join(u.dir, "home"), filepath.Join(u.dir, "root")
	for _, dir := range []string{u.Home, u.RootHome} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chown(u.Home, userID, userID); err != nil {
		t.Fatal(err)
	}
	rule := ""
	if sudoers != "" {
		rule = u.Name + " ALL=(ALL:ALL) " + sudoers + "\n"
	}
	for _, file := range []struct {
		name, content string
		mode          os.FileMode
	}{
		{"passwd", fmt.Sprintf("root:x:0:0:root:%s:/bin/sh\nsshd:x:101:65534::/run/sshd:/usr/sbin/nologin\n%s:x:%d:%d::%s:/bin/sh\n", u.RootHome, u.Name, userID, userID, u.Home), 0o644},
		{"group", fmt.Sprintf("root:x:0:\nnogroup:x:65534:\n%s:x:%d:\n", u.Name, userID), 0o644},
		{"shadow", "root:*:19000:0:99999:7:::\n" + u.Name + ":*:19000:0:99999:7:::\n", 0o600},
		{"sudoers", "Defaults env_reset, use_pty, !mail_no_user, !mail_badpass\nroot ALL=(ALL:ALL) ALL\n" + rule, 0o440},
		{"host.lock", "", 0o444},
		{"user.sh", userScript, 0o444},
	} {
		if err := os.WriteFile(filepath.Join(u.dir, file.name), []byte(file.content), file.mode); err != nil {
			t.Fatal(err)
		}
	}
	touchHostLock(t)
	return u
}

// openDir makes a folder that every user can reach.
func openDir(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	for _, d := range []string{filepath.Dir(dir), dir} {
		if err := os.Chmod(d, 0o711); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// Inside is the start of an argv that root's commands are executed by where the
// user exists.
func (u *User) Inside() []string {
	return []string{"unshare", "--mount", "sh", filepath.Join(u.dir, "user.sh"), u.dir}
}

// As is the start of an argv that is executed as the user.
func (u *User) As() []string {
	id := fmt.Sprint(userID)
	return append(u.Inside(), "setpriv", "--reuid", id, "--regid", id, "--clear-groups",
		"env", "-i", "HOME="+u.Home, "USER="+u.Name, "LOGNAME="+u.Name, "PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin")
}

// SshdOf starts a server on a machine that has a user more, who logs in.
func SshdOf(t testing.TB, u *User, settings ...string) *Server {
	t.Helper()
	s := &Server{t: t, Dir: openDir(t), User: u.Name, Home: u.Home, settings: settings, prefix: u.Inside()}
	s.begin()
	return s
}
