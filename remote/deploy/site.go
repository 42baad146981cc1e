package deploy

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"mpf/engine"
)

// A site is a host while software is put on it.
type site struct {
	*job
	name     string
	room     engine.Workspace
	home     string
	homeID   string // the same on hosts that share the home
	platform string
	root     bool
	manager  string // "apt", "dnf" or empty
}

// closeLimit bounds the end of a workspace after a context that is over.
const closeLimit = 30 * time.Second

// on does the job on one host.
func (j *job) on(ctx context.Context, host engine.Host) result {
	name := host.Info().Name
	attempt := engine.Attempt{Number: 1, Nonce: nonce(), Sampling: engine.Sampling{Off: true}}
	if j.deployer.Output != nil {
		attempt.Output = shown{j.deployer.Output}
	}
	room, err := host.Open(ctx, attempt)
	if err != nil {
		return result{err: j.failure(name, err)}
	}
	s := &site{job: j, name: name, room: room, homeID: host.Info().BootID}
	r, err := s.deploy(ctx)
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeLimit)
	defer cancel()
	_, closeErr := room.Close(closing)
	if err = errors.Join(err, closeErr); err != nil {
		r.err = j.failure(name, err)
	}
	return r
}

// The names of commands that are mpf's own affair.
const (
	lookAround   = "look around"
	lookForBuild = "look for the build"
	makeRoom     = "make room for the build"
)

// shown passes on what people asked for.
type shown struct{ to engine.OutputSink }

func (s shown) Write(host, command string, stderr bool, data []byte) {
	switch command {
	case lookAround, lookForBuild, makeRoom, dpkgQuery, rpmQuery:
	default:
		s.to.Write(host, command, stderr, data)
	}
}

func nonce() string {
	b := make([]byte, 16)
	_, _ = rand.Read(b) // never fails
	return hex.EncodeToString(b)
}

func (s *site) deploy(ctx context.Context) (result, error) {
	if err := s.look(ctx); err != nil {
		return result{}, err
	}
	leave, err := s.deployer.enter(ctx, s.homeID)
	if err != nil {
		return result{}, err
	}
	defer leave()
	if err := s.install(ctx); err != nil {
		return result{}, err
	}
	if s.deployment.Source == "" && len(s.deployment.Build) == 0 {
		return result{}, nil
	}
	dir := path.Join(s.home, ".cache/mpf/deploy", s.key)
	rebuilt, err := s.build(ctx, dir)
	return result{dir: dir, rebuilt: rebuilt, home: s.homeID, platform: s.platform}, err
}

// begin says what is begun.
func (s *site) begin(what string) {
	if s.deployer.Watch != nil {
		s.deployer.Watch(what, s.name)
	}
}

// looking prints the home, the user, the package manager, the platform, and what
// tells the home from others: a file in it, made once. A home in which nothing
// can be written has none.
const looking = `echo "$HOME"; id -u
if command -v apt-get >/dev/null; then echo apt; elif command -v dnf >/dev/null; then echo dnf; else echo; fi
echo $(uname -sm; test -r /etc/os-release && . /etc/os-release && echo $ID $VERSION_ID)
umask 077; d=$HOME/.cache/mpf/deploy; mkdir -p "$d" 2>/dev/null || exit 0
test -s "$d/home" || { cat /proc/sys/kernel/random/uuid >"$d/home.$$" && ln "$d/home.$$" "$d/home"; rm -f "$d/home.$$"; } 2>/dev/null
cat "$d/home" 2>/dev/null || true`

// look asks the host what must be known of it.
func (s *site) look(ctx context.Context) error {
	out, err := s.must(ctx, engine.Command{Name: lookAround, Argv: []string{"sh", "-c", looking}})
	if err != nil {
		return err
	}
	lines := strings.Split(out, "\n")
	if len(lines) < 5 || !path.IsAbs(lines[0]) {
		return fmt.Errorf("the host does not say where its home is: %q", out)
	}
	s.home, s.root, s.manager, s.platform = lines[0], lines[1] == "0", lines[2], lines[3]
	if lines[4] != "" {
		s.homeID = lines[4]
	}
	return nil
}

// must executes a command that has to succeed and returns what it printed.
func (s *site) must(ctx context.Context, c engine.Command) (string, error) {
	out, err := s.room.Run(ctx, c)
	if err != nil {
		return "", err
	}
	if out.Code != 0 {
		return "", &commandError{c, out, ""}
	}
	return string(out.Stdout.Data), nil
}

// A commandError is a command that failed, with the end of what it printed.
type commandError struct {
	command engine.Command
	output  engine.Output
	log     string // file of the controller that has all of it, or empty
}

func (e *commandError) Error() string {
	how := fmt.Sprintf("exit status %d", e.output.Code)
	if e.output.Signal != "" {
		how = e.output.Signal
	}
	name := e.command.Name
	if name == "" {
		name = strings.Join(e.command.Argv, " ")
	}
	said := e.output.Stderr.Data
	if len(strings.TrimSpace(string(said))) == 0 {
		said = e.output.Stdout.Data
	}
	text := fmt.Sprintf("%q: %s; its output ends %q", name, how, ending(string(said)))
	if e.log != "" {
		text += "; all of it: " + e.log
	}
	return text
}

// shownLines and shownBytes bound how much of a log is part of a message.
const (
	shownLines = 8
	shownBytes = 1000
)

func ending(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	text = strings.Join(lines[max(0, len(lines)-shownLines):], "\n")
	if len(text) > shownBytes {
		text = "..." + strings.ToValidUTF8(text[len(text)-shownBytes:], "")
	}
	return text
}

// build makes the build unless it is complete, and says whether it did.
func (s *site) build(ctx context.Context, dir string) (bool, error) {
	done := dir + ".done"
	out, err := s.room.Run(ctx, engine.Command{Name: lookForBuild, Argv: []string{"sh", "-c", `grep -qxF "$2" "$1" && touch "$1"`, "sh", done, s.platform}})
	if err != nil || out.Code == 0 {
		return false, err
	}
	if err := s.deployer.failure(s.key + s.name); err != nil {
		return false, err
	}
	s.begin(title(s.deployment))
	_, err = s.must(ctx, engine.Command{Name: makeRoom, Argv: []string{"sh", "-c",
		`umask 077 && mkdir -p "${1%/*}" && find "${1%/*}" -maxdepth 1 -name "*.done" -mtime +` + keptDays +
			` -exec sh -c 'for f; do rm -rf "${f%.done}" "$f"; done' sh {} + ; rm -rf "$1.done" "$1" && umask 022 && mkdir "$1"`, "sh", dir}})
	if err != nil {
		return false, err
	}
	if s.deployment.Source != "" {
		if err := s.room.Put(ctx, s.source.dir, dir); err != nil {
			return false, fmt.Errorf("send %q: %w", s.deployment.Source, err)
		}
	}
	if err := s.commands(ctx, dir); err != nil {
		return false, err
	}
	return true, s.room.WriteFile(ctx, done, []byte(s.source.revision()+"\n"+s.platform+"\n"), 0o644)
}

// title is what a build is called while it is made.
func title(x engine.Deployment) string {
	if x.Source == "" {
		return "build"
	}
	return "build " + x.Source
}

// keptDays is how long a build that nobody asked for is kept.
const keptDays = "30"

// commands executes the build commands, one after the other, with the levels
// that the build is per as environment variables. What they print on stdout and
// stderr is one stream, in its order.
func (s *site) commands(ctx context.Context, dir string) error {
	for i, text := range s.deployment.Build {
		c := engine.Command{Name: text, Argv: []string{"sh", "-c", `exec sh -c "$1" 2>&1`, "sh", text}, Dir: dir, Env: s.env}
		out, err := s.room.Run(ctx, c)
		kept, logErr := s.log(i, text, out)
		if err = errors.Join(err, logErr); err != nil {
			return err
		}
		if out.Code != 0 {
			err := &commandError{c, out, kept}
			s.deployer.fail(s.key+s.name, err)
			return err
		}
	}
	return nil
}

// log keeps what a command printed, on the controller, and returns where.
func (s *site) log(i int, text string, out engine.Output) (string, error) {
	if s.deployer.Logs == "" {
		return "", nil
	}
	if err := os.MkdirAll(s.deployer.Logs, 0o700); err != nil {
		return "", err
	}
	role := s.deployer.Experiment.Roles[s.deployment.Role].Name
	name := filepath.Join(s.deployer.Logs, fmt.Sprintf("build-%s-%s-%.8s-%d.log", role, s.name, s.key, i+1))
	content := fmt.Sprintf("$ %s\n%s", text, out.Stdout.Data)
	if out.Stdout.Truncated {
		content += fmt.Sprintf("\n[%d bytes more were printed]\n", out.Stdout.Size-int64(len(out.Stdout.Data)))
	}
	return name, os.WriteFile(name, []byte(content), 0o600)
}
