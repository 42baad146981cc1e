package client

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mpf/engine/enginetest"
	"mpf/remote/remotetest"
)

func TestProxyCommandLeadsToTheHost(t *testing.T) {
	enginetest.Need(t, "ssh")
	gate, host := remotetest.Sshd(t), remotetest.Sshd(t)
	config := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(config, []byte(gate.Alias("gate")), 0o600); err != nil {
		t.Fatal(err)
	}
	d := dialer(t, host.Alias("n", "ProxyCommand ssh -F "+config+" -W [%h]:%p gate # the way in"))
	if out, err := output(t, d, "n", "echo $HOME"); err != nil || out != host.Home {
		t.Errorf("%q, %v, want %q", out, err, host.Home)
	}
	if !strings.Contains(gate.Log(), "Accepted publickey") {
		t.Error("nobody came by the gate")
	}
	other := dialer(t, host.Alias("inner", "ProxyCommand ssh -F "+config+" -W %h:%p gate")+remotetest.Sshd(t).Alias("n", "ProxyJump inner"))
	if _, err := output(t, other, "n", "true"); err != nil {
		t.Errorf("a jump host behind a ProxyCommand: %v", err)
	}
}

// The key of the host is checked all the same.
func TestProxyCommandTrustsNobody(t *testing.T) {
	enginetest.Need(t, "ssh")
	gate, host := remotetest.Sshd(t), remotetest.Sshd(t)
	if err := os.WriteFile(host.KnownHosts, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(config, []byte(gate.Alias("gate")), 0o600); err != nil {
		t.Fatal(err)
	}
	d := dialer(t, host.Alias("n", "StrictHostKeyChecking no", "ProxyCommand ssh -F "+config+" -W %h:%p gate"))
	mustFail(t, d, "n", "host key of [127.0.0.1]:"+host.Port+" is unknown")
}

func TestProxyCommandThatLeadsNowhere(t *testing.T) {
	s := remotetest.Sshd(t)
	for line, want := range map[string]string{
		`ProxyCommand sh -c 'echo no way for %r to %n >&2; exit 3'`: `: exit status 3: it says "no way for ` + s.User + ` to n" (see what ssh makes of it: ssh -v n)`,
		"ProxyCommand /no/such/program":                             `exit status 127: it says "`,
		"ProxyCommand true\n ProxyUseFdpass yes":                    "ProxyUseFdpass is not supported",
		"ProxyCommand nc %Z":                                        `unknown token %Z`,
	} {
		if strings.Contains(line, "Fdpass") || strings.Contains(line, "%Z") {
			_, err := dialer(t, s.Alias("n", line)).Dial(t.Context(), Destination{Host: "n"})
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %q", line, err, want)
			}
			continue
		}
		mustFail(t, dialer(t, s.Alias("n", line)), "n", want)
	}
}

func TestProxyCommandEndsWithItsConnection(t *testing.T) {
	dir := t.TempDir()
	pid := filepath.Join(dir, "pid")
	d := dialer(t, "Host n\n ConnectTimeout 1\n ProxyCommand sh -c \"trap '' HUP; echo \\$\\$ >"+pid+"; sleep 1000; true\"\n")
	mustFail(t, d, "n", "no answer in time")
	text, err := os.ReadFile(pid)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat("/proc/" + strings.TrimSpace(string(text))); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("process %s: %v", text, err)
	}
}
