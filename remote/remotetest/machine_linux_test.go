package remotetest

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mpf/engine/enginetest"
)

func TestMachinesAreHostsOfTheirOwn(t *testing.T) {
	enginetest.Need(t, "ssh")
	machines := Machines(t, 2)
	config := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(config, []byte(machines[0].Alias("alice")+machines[1].Alias("root")), 0o600); err != nil {
		t.Fatal(err)
	}
	ssh := func(host, command string) string {
		out, err := exec.Command("ssh", "-F", config, host, command).CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %s: %v: %s", host, command, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	if got := ssh("n1", "id -un; hostname; ls /tmp; cat /proc/sys/kernel/random/boot_id"); got != "alice\nn1\n"+machines[0].BootID() {
		t.Errorf("n1 says %q", got)
	}
	if got := ssh("n2", "touch /root/kept /tmp/gone; ls /tmp; getent hosts n1"); !strings.HasPrefix(got, "gone\n"+machines[0].Address) {
		t.Errorf("n2 says %q", got)
	}
	first := machines[1].BootID()
	machines[1].Reboot()
	if got := ssh("n2", "ls /root/kept; ls /tmp"); got != "/root/kept" || machines[1].BootID() == first {
		t.Errorf("after a reboot n2 says %q, boot %s then %s", got, first, machines[1].BootID())
	}
	machines[1].Kill()
	if c, err := net.DialTimeout("tcp", machines[1].Address+":22", time.Second); err == nil {
		c.Close()
		t.Error("a machine that is off listens")
	}
}

func TestMachinesHangAndThaw(t *testing.T) {
	m := Machines(t, 1)[0]
	greets := func(limit time.Duration) bool {
		c, err := net.DialTimeout("tcp", m.Address+":22", limit)
		if err != nil {
			return false
		}
		defer c.Close()
		_ = c.SetReadDeadline(time.Now().Add(limit))
		n, _ := c.Read(make([]byte, 4))
		return n == 4
	}
	const short, long = 300 * time.Millisecond, 10 * time.Second
	m.Hang()
	if greets(short) {
		t.Error("a machine that hangs says hello")
	}
	m.Thaw()
	if !greets(long) {
		t.Error("a machine that was thawed says nothing")
	}
	m.Unplug()
	if greets(short) {
		t.Error("a machine without a cable says hello")
	}
	m.Plug()
	if !greets(long) {
		t.Error("a machine with its cable again says nothing")
	}
}
