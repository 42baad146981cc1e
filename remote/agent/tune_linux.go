package agent

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"mpf/remote/wire"
)

// The controller changes settings of the host by commands, and says beforehand
// in a script how to put them back. The script lies in this user's folder for as
// long as it is due. Whoever is left runs it: the worker when it is asked to,
// else the keeper, a shell with a session of its own that waits for the worker's
// end, else the guard, else the next agent.

// keeperDescriptor is the worker's end of the pipe to its keeper. Nobody ever
// writes to it.
const keeperDescriptor = 3

// keeperScript waits for the end of the worker and runs the script.
const keeperScript = `exec >/dev/null 2>&1; trap "" HUP INT TERM; read -r _; [ ! -e "$0" ] || exec sh "$0"`

// restoreLimit is how long a keeper may take before the guard goes on.
const restoreLimit = 20 * time.Second

// A keeperWay is the guard's side of the pipe between worker and keeper.
type keeperWay struct {
	pipe [2]int
	pid  atomic.Int64 // of the keeper, once there is one
}

// start starts the keeper, which the worker asks for by a signal. What it cannot
// do is left to others.
func (w *keeperWay) start(script string) {
	pid, err := syscall.ForkExec("/bin/sh", []string{"sh", "-c", keeperScript, script}, &syscall.ProcAttr{
		Env: os.Environ(), Files: []uintptr{uintptr(w.pipe[0]), 2, 2}, Sys: &syscall.SysProcAttr{Setsid: true},
	})
	if err == nil {
		w.pid.Store(int64(pid))
	}
}

// end waits until the keeper has put everything back. One that was killed leaves
// that to the guard.
func (w *keeperWay) end(script string) {
	pid := int(w.pid.Load())
	if pid == 0 {
		return
	}
	entry, _ := readProc(pid) // one that is gone is waited for no longer
	waitGone(pid, entry.start, restoreLimit)
	if _, err := os.Stat(script); err == nil {
		// What fails is left to the next agent, which says it.
		_ = runAlone("sh", "-c", `exec sh "$0" >/dev/null 2>&1`, script)
	}
}

// tunedScript is where the script of a worker lies; empty without a folder.
func tunedScript(worker int) string {
	var s server
	if s.makeFolders() != nil {
		return ""
	}
	return filepath.Join(s.home, "tuned", strconv.Itoa(worker))
}

// keep stores the script and makes sure that there is a keeper.
func (s *server) keep(id uint32, script []byte) {
	path := tunedScript(os.Getpid())
	err := s.onlyTuner(filepath.Dir(path))
	if err == nil {
		err = os.MkdirAll(filepath.Dir(path), 0o700)
	}
	me, _ := readProc(os.Getpid())
	head := "# " + strconv.FormatUint(me.start, 10) + " " + s.tuner() + "\n"
	if err == nil {
		err = os.WriteFile(path+".tmp", append([]byte(head), script...), 0o600)
	}
	if err == nil {
		err = os.Rename(path+".tmp", path)
	}
	if err == nil && !s.kept.Swap(true) {
		err = syscall.Kill(os.Getppid(), syscall.SIGUSR1)
	}
	if err != nil {
		s.refuse(id, failed("settings of the host: %v", err))
		return
	}
	s.reply(id, wire.Response{}, nil)
}

// restore runs the script now, and answers with what it said.
func (s *server) restore(id uint32) {
	path := tunedScript(os.Getpid())
	if _, err := os.Stat(path); err != nil {
		s.reply(id, wire.Response{}, nil)
		return
	}
	out, err := s.helper("sh", path)
	if err != nil {
		s.refuse(id, err)
		return
	}
	s.reply(id, wire.Response{Message: out}, nil)
}

// tuner is the controller, in a word.
func (s *server) tuner() string {
	sum := sha256.Sum256([]byte(s.hello.Engine))
	return hex.EncodeToString(sum[:8])
}

// tuners reads the scripts that are due: whose controllers they are by path,
// those of workers that are gone with an empty one.
func tuners(dir string) map[string]string {
	found := map[string]string{}
	paths, _ := filepath.Glob(filepath.Join(dir, "[0-9]*")) // the pattern is right
	for _, path := range paths {
		head, _, _ := strings.Cut(fileText(path), "\n")
		words := strings.Fields(head)
		pid, err := strconv.Atoi(filepath.Base(path))
		if err != nil || len(words) != 3 {
			continue
		}
		found[path] = ""
		if now, ok := readProc(pid); ok && strconv.FormatUint(now.start, 10) == words[1] && !now.dead() {
			found[path] = words[2]
		}
	}
	return found
}

// onlyTuner refuses a second controller: it would take what the first has
// changed for the host's own.
func (s *server) onlyTuner(dir string) error {
	for _, other := range tuners(dir) {
		if other != "" && other != s.tuner() {
			return failed("another campaign has changed settings of this host: wait for its end")
		}
	}
	return nil
}

// restoreLeft runs the scripts of workers that are gone, and returns what they
// said.
func (s *server) restoreLeft() (said []string) {
	for path, tuner := range tuners(filepath.Join(s.home, "tuned")) {
		if tuner != "" {
			continue
		}
		out := path + ".said"
		err := runAlone("sh", "-c", `exec sh "$0" >"$0.said" 2>&1`, path)
		for line := range strings.Lines(fileText(out)) {
			said = append(said, strings.TrimSpace(line))
		}
		if err != nil {
			said = append(said, err.Error())
		}
		_ = os.Remove(out) // should it stay, it is written over
	}
	return said
}
