package remote_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"mpf/engine"
	"mpf/remote"
	"mpf/remote/remotetest"
)

// everything is what a user may do by sudo without being asked.
const everything = "NOPASSWD: ALL"

// asUser is a transport to this machine as a user without privileges.
func asUser(t *testing.T, u *remotetest.User, more ...string) remote.Via {
	t.Helper()
	return via(t, append(u.As(), more...)...)
}

// A sudoing host runs every command through sudo.
type sudoing struct{ engine.Host }

type sudoingWorkspace struct{ engine.Workspace }

func (h sudoing) Open(ctx context.Context, a engine.Attempt) (engine.Workspace, error) {
	w, err := h.Host.Open(ctx, a)
	if err != nil {
		return nil, err
	}
	return sudoingWorkspace{w}, nil
}

func (w sudoingWorkspace) Run(ctx context.Context, c engine.Command) (engine.Output, error) {
	c.Sudo = true
	return w.Workspace.Run(ctx, c)
}

func (w sudoingWorkspace) Start(ctx context.Context, c engine.Command, r engine.Ready) (engine.Process, error) {
	c.Sudo = true
	return w.Workspace.Start(ctx, c, r)
}

func TestAUserIsAHost(t *testing.T) {
	u := remotetest.NewUser(t, "")
	remotetest.HostContract(t, func(t *testing.T) engine.Host { return connect(t, asUser(t, u)) })
}

func TestCommandsThroughSudoAreThoseOfAHost(t *testing.T) {
	u := remotetest.NewUser(t, everything)
	remotetest.HostContract(t, func(t *testing.T) engine.Host { return sudoing{connect(t, asUser(t, u))} })
}

func TestSudoIsAWayToAHost(t *testing.T) {
	u := remotetest.NewUser(t, everything)
	remotetest.HostContract(t, func(t *testing.T) engine.Host { return connect(t, asUser(t, u, "sudo", "-n", "--")) })
}

const oneBecomesRoot = "hosts: {n: {shared: true, become: root}}\n"

func TestAUserWhoBecomesRootIsAHost(t *testing.T) {
	s := remotetest.SshdOf(t, remotetest.NewUser(t, everything))
	remotetest.HostContract(t, func(t *testing.T) engine.Host {
		f, err := remote.Open(t.Context(), cluster(t, s.Alias("n"), oneBecomesRoot), remote.Options{Link: quick()})
		if err != nil {
			t.Fatal(err)
		}
		if who := text(t, f.Host("n"), "id", "-un"); who != "root" {
			t.Errorf("became %q", who)
		}
		return f.Host("n")
	})
}

// mustRefuse checks that a failure says what to edit on the host.
func mustRefuse(t *testing.T, what string, err error, want ...string) {
	t.Helper()
	who := "alice"
	if what == "exec" { // nobody says who it is
		who = "USER"
	}
	if err == nil {
		t.Errorf("%s: no error", what)
		return
	}
	for _, w := range append(want, "add there to /etc/sudoers.d/mpf: "+who+" ALL=(ALL) NOPASSWD: ALL") {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("%s: %q, want %q in it", what, err, w)
		}
	}
	if strings.Contains(err.Error(), "\n") {
		t.Errorf("%s: %q is not one line", what, err)
	}
}

// A user of whom sudo wants a password, and one whom it does not know.
func TestSudoThatWantsAPassword(t *testing.T) {
	for what, sudoers := range map[string]string{"a password": "ALL", "an unknown user": ""} {
		t.Run(what, func(t *testing.T) { refusedSudo(t, remotetest.NewUser(t, sudoers)) })
	}
}

func refusedSudo(t *testing.T, u *remotetest.User) {
	h := connect(t, asUser(t, u))
	defer h.Close()
	w, err := h.Open(t.Context(), remotetest.NewAttempt())
	if err != nil {
		t.Fatal(err)
	}
	_, err = w.Run(t.Context(), engine.Command{Argv: []string{"id"}, Sudo: true})
	mustRefuse(t, "run", err, `host "here": command "id": sudo does not let it run`)
	for _, ready := range []engine.Ready{{Pattern: "never"}, {File: "never"}, {Port: 1}} {
		_, err = w.Start(t.Context(), engine.Command{Argv: []string{"sleep", "1000"}, Sudo: true}, ready)
		mustRefuse(t, "start", err, `command "sleep"`)
	}
	p, err := w.Start(t.Context(), engine.Command{Argv: []string{"sleep", "1000"}, Sudo: true}, engine.Ready{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = p.Wait(t.Context())
	mustRefuse(t, "wait", err)
	if out, err := w.Run(t.Context(), engine.Command{Argv: []string{"id", "-un"}}); err != nil || strings.TrimSpace(string(out.Stdout.Data)) != "alice" {
		t.Errorf("afterwards: %q, %v", out.Stdout.Data, err)
	}
}

func TestBecomingRootWithAPassword(t *testing.T) {
	u := remotetest.NewUser(t, "ALL")
	s := remotetest.SshdOf(t, u)
	f, err := remote.Open(t.Context(), cluster(t, s.Alias("n"), oneBecomesRoot), remote.Options{Link: quick()})
	mustRefuse(t, "ssh", err, `host "n"`)
	f.Close()
	_, err = remote.Connect(t.Context(), asUser(t, u, "sudo", "-n", "-u", "root", "--"), here(), quick())
	mustRefuse(t, "exec", err, `host "here"`)
}

// asRoot leaves behind root's processes, also such that left the tree.
func startAsRoot(t *testing.T, h engine.Host) (engine.Workspace, engine.Attempt) {
	t.Helper()
	a := remotetest.NewAttempt()
	w, err := h.Open(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Start(t.Context(), engine.Command{Argv: []string{"sh", "-c", leave}, Sudo: true}, engine.Ready{Pattern: "left"}); err != nil {
		t.Fatal(err)
	}
	expectRunning(t, a.Nonce)
	return w, a
}

// ofUser lists the agent processes of the user's, the guard first.
func ofUser(t *testing.T, u *remotetest.User) []int {
	t.Helper()
	var pids []int
	paths, _ := filepath.Glob("/proc/[0-9]*/cmdline") // the pattern is right
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err == nil && strings.HasPrefix(string(text), u.Home) && strings.Contains(string(text), "\x00agent\x00") {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path))) // the pattern says so
			pids = append(pids, pid)
		}
	}
	if len(pids) != 2 {
		t.Fatalf("agents %v", pids)
	}
	slices.Sort(pids)
	return pids
}

// What root runs for a user's agent dies as all else does, whatever ends.
func TestProcessesOfRootAreGoneAtTheEnd(t *testing.T) {
	t.Run("run closed", func(t *testing.T) {
		h := connect(t, asUser(t, remotetest.NewUser(t, everything)))
		defer h.Close()
		w, a := startAsRoot(t, h)
		closing, err := w.Close(t.Context())
		if err != nil || len(closing.Unkillable) > 0 {
			t.Errorf("%+v, %v", closing, err)
		}
		remotetest.WaitGone(t, a, 0)
		if _, err := os.Stat(w.Dir()); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the folder: %v", err)
		}
	})
	t.Run("link closed", func(t *testing.T) {
		h := connect(t, asUser(t, remotetest.NewUser(t, everything)))
		_, a := startAsRoot(t, h)
		h.Close()
		remotetest.WaitGone(t, a, quick().Lease+5*time.Second)
	})
	t.Run("worker killed", func(t *testing.T) {
		u := remotetest.NewUser(t, everything)
		h := connect(t, asUser(t, u))
		defer h.Close()
		_, a := startAsRoot(t, h)
		pids := ofUser(t, u)
		if err := syscall.Kill(pids[1], syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		remotetest.WaitGone(t, a, quick().Lease+5*time.Second)
	})
	t.Run("agent killed", func(t *testing.T) {
		u := remotetest.NewUser(t, everything)
		h := connect(t, asUser(t, u))
		defer h.Close()
		_, a := startAsRoot(t, h)
		pids := ofUser(t, u)
		syscall.Kill(pids[0], syscall.SIGSTOP)
		for _, pid := range []int{pids[1], pids[0]} {
			if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
		}
		fenced, err := h.Fence(t.Context(), a)
		for end := time.Now().Add(quick().GiveUp); err != nil && time.Now().Before(end); {
			fenced, err = h.Fence(t.Context(), a) // the link may not know yet that it is over
		}
		if err != nil || fenced.How != "swept" {
			t.Errorf("fence: %+v, %v", fenced, err)
		}
		remotetest.WaitGone(t, a, 0)
	})
}
