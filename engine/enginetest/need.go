// Package enginetest holds what the tests of several packages share: needs that
// a machine may not meet, and a host, a clock and a ledger in memory. It is
// never part of a built mpf.
package enginetest

import (
	"os"
	"os/exec"
	"testing"
)

// RequireVariable names the environment variable that turns every skip into a
// failure. Continuous integration sets it.
const RequireVariable = "MPF_TEST_REQUIRE"

// Need skips a test on a machine that lacks one of the programs, and names the
// package that holds it.
func Need(t testing.TB, programs ...string) {
	t.Helper()
	for _, program := range programs {
		if _, err := exec.LookPath(program); err != nil {
			Unmet(t, "%s is not installed: apt-get install %s", program, packageOf(program))
		}
	}
}

// NeedRoot skips a test that is not run by root.
func NeedRoot(t testing.TB) {
	t.Helper()
	if os.Geteuid() != 0 {
		Unmet(t, "needs root: sudo -E go test")
	}
}

// Unmet skips the test, or fails it where nothing may be skipped.
func Unmet(t testing.TB, format string, args ...any) {
	t.Helper()
	if os.Getenv(RequireVariable) != "" {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}

func packageOf(program string) string {
	packages := map[string]string{
		"sshd": "openssh-server", "ssh": "openssh-client", "ssh-keygen": "openssh-client",
		"ssh-agent": "openssh-client", "ip": "iproute2", "tc": "iproute2", "node": "nodejs",
		"mkfs.ext4": "e2fsprogs", "fsfreeze": "util-linux",
		"dockerd": "docker.io", "docker": "docker.io", "busybox": "busybox-static",
		"srun": "slurm-client", "sinfo": "slurm-client", "munged": "munge", "qemu-aarch64-static": "qemu-user-static",
		"redis-server": "redis-server", "redis-benchmark": "redis-tools",
		"scp": "openssh-client", "clush": "clustershell", "ansible": "ansible-core",
		"unshare": "util-linux",
	}
	if name, ok := packages[program]; ok {
		return name
	}
	return program
}
