package remotetest

import (
	"bytes"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

//go:embed machine.sh
var machineScript string

// A Machine is a host of its own on this kernel: its own address, name, disk,
// /tmp, processes, sshd and boot id. Users root and alice are let in.
type Machine struct {
	Name    string
	Address string
	HostKey string // the public key, as a line of text

	t       testing.TB
	network *network
	dir     string
	port    string // its end of the cable, at the switch
	holder  *held  // keeps the network namespace while the machine is off
	machine *held  // or nil: it is off
}

func (m *Machine) path(name string) string { return filepath.Join(m.dir, name) }

// Boot switches the machine on, with another boot id than before, and waits for
// its sshd.
func (m *Machine) Boot() {
	m.t.Helper()
	id, err := os.ReadFile("/proc/sys/kernel/random/uuid")
	if err != nil {
		m.t.Fatal(err)
	}
	if err := os.WriteFile(m.path("boot_id"), id, 0o444); err != nil {
		m.t.Fatal(err)
	}
	log, err := os.OpenFile(m.path("console.log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		m.t.Fatal(err)
	}
	defer log.Close()
	m.Plug()
	cmd := exec.Command("nsenter", "--net=/proc/"+strconv.Itoa(m.holder.pid())+"/ns/net",
		"unshare", "--mount", "--uts", "--ipc", "--pid", "--cgroup", "--fork", "--kill-child",
		"bash", "-c", machineScript, "machine", m.Name, m.dir, m.Address, m.network.hosts())
	cmd.Stdout, cmd.Stderr = log, log
	before := m.listened()
	m.machine = hold(m.t, cmd)
	m.await(before)
}

// listened counts the boots that the console tells of.
func (m *Machine) listened() int {
	log, err := os.ReadFile(m.path("console.log"))
	if err != nil {
		m.t.Fatal(err)
	}
	return bytes.Count(log, []byte("Server listening"))
}

// await waits for the sshd of another boot.
func (m *Machine) await(before int) {
	m.t.Helper()
	for end := time.Now().Add(20 * time.Second); m.listened() == before; time.Sleep(5 * time.Millisecond) {
		if m.machine.ended() || time.Now().After(end) {
			m.t.Fatalf("machine %s does not boot: %s", m.Name, m.network.read(m.path("console.log")))
		}
	}
}

// Crash is a loss of power: the others see silence.
func (m *Machine) Crash() {
	m.Unplug()
	m.off()
}

// Kill ends the machine while its network is up: the others see connections
// end.
func (m *Machine) Kill() { m.off() }

func (m *Machine) off() {
	if m.machine != nil {
		m.machine.kill()
		m.machine = nil
	}
}

// Reboot ends the machine and switches it on again.
func (m *Machine) Reboot() {
	m.t.Helper()
	m.Crash()
	m.Boot()
}

// Hang freezes every process of the machine; its kernel still acknowledges what
// it is sent.
func (m *Machine) Hang() { m.signal(syscall.SIGSTOP) }

// Thaw lets a frozen machine go on.
func (m *Machine) Thaw() { m.signal(syscall.SIGCONT) }

// signal reaches also those that were made meanwhile.
func (m *Machine) signal(s syscall.Signal) {
	seen := map[int]bool{}
	for again := true; again; {
		again = false
		for _, pid := range descendants(m.machine.pid()) {
			if !seen[pid] {
				seen[pid], again = true, true
				_ = syscall.Kill(pid, s)
			}
		}
	}
}

// Unplug pulls the machine's cable, Plug puts it in again.
func (m *Machine) Unplug() { m.network.link(m.port, "down") }
func (m *Machine) Plug()   { m.network.link(m.port, "up") }

// Rate makes the machine's cable slow both ways, in words of tc such as 8kbit.
func (m *Machine) Rate(rate string) {
	words := []string{"root", "tbf", "rate", rate, "burst", "1600", "limit", "200000"}
	m.network.inFabric(append([]string{"tc", "qdisc", "replace", "dev", m.port}, words...)...)
	m.network.run(append([]string{"nsenter", "--net=/proc/" + strconv.Itoa(m.holder.pid()) + "/ns/net", "tc", "qdisc", "replace", "dev", "eth0"}, words...)...)
}

// BootID is that of the machine as it runs now.
func (m *Machine) BootID() string {
	content, err := os.ReadFile(m.path("boot_id"))
	if err != nil {
		m.t.Fatal(err)
	}
	return strings.TrimSpace(string(content))
}

// Processes lists the command lines of what runs on the machine.
func (m *Machine) Processes() []string { return m.Tagged("") }

// Exec executes a command on the machine, without ssh.
func (m *Machine) Exec(argv ...string) (string, error) {
	inner := descendants(m.machine.pid())
	if len(inner) == 0 {
		return "", fmt.Errorf("machine %s is off", m.Name)
	}
	enter := []string{"--target", strconv.Itoa(inner[0]), "--all", "--"}
	out, err := exec.Command("nsenter", append(enter, argv...)...).CombinedOutput()
	return string(out), err
}

// Alias makes a block of ssh_config by which the machine is reached as a user.
func (m *Machine) Alias(user string, more ...string) string {
	block := fmt.Sprintf("Host %s\n HostName %s\n User %s\n IdentityFile %s\n IdentitiesOnly yes\n UserKnownHostsFile %s\n GlobalKnownHostsFile none\n",
		m.Name, m.Address, user, m.network.key, m.network.known)
	for _, line := range more {
		block += " " + line + "\n"
	}
	return block
}

// Tagged lists the command lines of what runs on the machine with a text in its
// environment, such as the tag of an attempt.
func (m *Machine) Tagged(text string) []string {
	var lines []string
	m.each(func(pid int, argv []string) {
		environ, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
		if err == nil && bytes.Contains(environ, []byte(text)) {
			lines = append(lines, strings.Join(argv, " "))
		}
	})
	return lines
}

// Signal signals the processes of the machine whose argv fits, all at once, and
// returns how many there were.
func (m *Machine) Signal(s syscall.Signal, fits func(argv []string) bool) int {
	var pids []int
	m.each(func(pid int, argv []string) {
		if fits(argv) {
			pids = append(pids, pid)
		}
	})
	for _, pid := range pids {
		_ = syscall.Kill(pid, s)
	}
	return len(pids)
}

func (m *Machine) each(visit func(pid int, argv []string)) {
	if m.machine == nil {
		return
	}
	for _, pid := range descendants(m.machine.pid()) {
		content, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		if err == nil && len(content) > 0 {
			visit(pid, strings.Split(strings.TrimRight(string(content), "\x00"), "\x00"))
		}
	}
}
