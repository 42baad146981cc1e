package remotetest

import (
	_ "embed"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mpf/engine/enginetest"
)

//go:embed slurm.sh
var slurmScript string

// Slurm starts a cluster of one node, which is this machine, and returns the
// start of an argv that is executed on it as a job step. It needs root.
func Slurm(t testing.TB) []string {
	t.Helper()
	enginetest.NeedRoot(t)
	enginetest.Need(t, "slurmctld", "slurmd", "srun", "sinfo", "munged", "unshare")
	dir := openDir(t)
	log := filepath.Join(dir, "log")
	cluster := hold(t, exec.Command("unshare", "--mount", "--uts", "--pid", "--fork", "--kill-child", "--mount-proc",
		"bash", "-c", "exec >"+log+" 2>&1\n"+slurmScript, "slurm", dir, freePort(t)))
	t.Cleanup(cluster.kill)
	conf := "SLURM_CONF=" + filepath.Join(dir, "slurm.conf")
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		out, _ := exec.Command("env", conf, "sinfo", "-h", "-o", "%T").CombinedOutput() // it may not serve yet
		if strings.TrimSpace(string(out)) == "idle" {
			return []string{"env", conf, "srun", "--quiet", "--overlap", "--unbuffered"}
		}
		if cluster.ended() || time.Now().After(end) {
			said, _ := os.ReadFile(log)
			enginetest.Unmet(t, "no Slurm runs here: %s: %s", out, said)
		}
	}
}
