package remotetest

import (
	_ "embed"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"mpf/engine/enginetest"
)

//go:embed container.sh
var containerScript string

// A Container is a running container of an engine that is the test's own. What
// it holds is a busybox; Home is a folder of this machine's that it has as well.
type Container struct {
	Home string

	t   testing.TB
	dir string
}

// NewContainer starts an engine and a container, which end with the test. It
// needs root.
func NewContainer(t testing.TB) *Container {
	t.Helper()
	enginetest.NeedRoot(t)
	enginetest.Need(t, "dockerd", "docker", "busybox", "unshare", "tar")
	dir, err := os.MkdirTemp("/tmp", "mpf-docker") // the path of a socket is short
	if err != nil {
		t.Fatal(err)
	}
	c := &Container{t: t, dir: dir, Home: t.TempDir()}
	engine := hold(t, exec.Command("unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc",
		"sh", "-c", "exec >$1/log 2>&1\n"+containerScript, "container", dir))
	t.Cleanup(func() {
		_, _ = c.docker("rm", "-f", "box") // it may not be there
		engine.kill()
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	c.await(engine)
	c.start()
	return c
}

// await waits until the engine answers.
func (c *Container) await(engine *held) {
	c.t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		if _, err := c.docker("version"); err == nil {
			return
		}
		if engine.ended() || time.Now().After(end) {
			log, _ := os.ReadFile(filepath.Join(c.dir, "log"))
			enginetest.Unmet(c.t, "no container engine runs here: %s", log)
		}
	}
}

// start makes an image of busybox alone and a container of it that does nothing.
func (c *Container) start() {
	c.t.Helper()
	script := `mkdir -p "$1/root/bin" "$1/root/tmp" "$1/root/proc" && cp "$(command -v busybox)" "$1/root/bin/" &&
for name in $(busybox --list | grep -vx busybox); do ln -sf busybox "$1/root/bin/$name"; done &&
tar -C "$1/root" -c . | docker -H "unix://$1/socket" import - busybox &&
docker -H "unix://$1/socket" run -d --name box --network none -e HOME="$2" -v "$2:$2" busybox sleep 100000`
	if out, err := exec.Command("sh", "-c", script, "start", c.dir, c.Home).CombinedOutput(); err != nil {
		enginetest.Unmet(c.t, "no container starts here: %s", out)
	}
}

func (c *Container) docker(words ...string) ([]byte, error) {
	return exec.Command("docker", append([]string{"-H", "unix://" + c.dir + "/socket"}, words...)...).CombinedOutput()
}

// Exec is the start of an argv that is executed in the container.
func (c *Container) Exec() []string {
	return []string{"docker", "-H", "unix://" + c.dir + "/socket", "exec", "-i", "box"}
}
