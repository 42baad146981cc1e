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
	name    string
	room    engine.Workspace
	home    string
	root    bool
	manager string // "apt", "dnf" or empty
}

// closeLimit bounds the end of a workspace after a context that is over.
const closeLimit = 30 * time.Second

// on does the job on one host.
func (j *job) on(ctx context.Context, host engine.Host) result {
	name := host.Info().Name
	room, err := host.Open(ctx, engine.Attempt{Number: 1, Nonce: nonce(), Sampling: engine.Sampling{Off: true}})
	if err != nil {
		return result{err: j.failure(name, err)}
	}
	s := &site{job: j, name: name, room: room}
	r, err := s.deploy(ctx)
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeLimit)
	defer cancel()
	_, closeErr := room.Close(closing)
	if err = errors.Join(err, closeErr); err != nil {
		r.err = j.failure(name, err)
	}
	return r
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
	if err := s.install(ctx); err != nil {
		return result{}, err
	}
	if s.deployment.Source == "" && len(s.deployment.Build) == 0 {
		return result{}, nil
	}
	dir := path.Join(s.home, ".cache/mpf/deploy", s.key)
	rebuilt, err := s.build(ctx, dir)
	return result{dir: dir, rebuilt: rebuilt}, err
}

// look asks the host what must be known of it.
func (s *site) look(ctx context.Context) error {
	out, err := s.must(ctx, engine.Command{Argv: []string{"sh", "-c",
		`echo "$HOME"; id -u; if command -v apt-get >/dev/null; then echo apt; elif command -v dnf >/dev/null; then echo dnf; fi`}})
	if err != nil {
		return err
	}
	lines := strings.Split(out, "\n")
	if len(lines) < 3 || !path.IsAbs(lines[0]) {
		return fmt.Errorf("the host does not say where its home is: %q", out)
	}
	s.home, s.root, s.manager = lines[0], lines[1] == "0", lines[2]
	return nil
}

// must executes a command that has to succeed and returns what it printed.
func (s *site) must(ctx context.Context, c engine.Command) (string, error) {
	out, err := s.room.Run(ctx, c)
	if err != nil {
		return "", err
	}
	if out.Code != 0 {
		return "", &commandError{c, out}
	}
	return string(out.Stdout.Data), nil
}

// A commandError is a command that failed, with the end of what it printed.
type commandError struct {
	command engine.Command
	output  engine.Output
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
	return fmt.Sprintf("%s: %s; its output ends %q", quoteWords([]string{name}), how, ending(string(said)))
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
	out, err := s.room.Run(ctx, engine.Command{Argv: []string{"sh", "-c", `test -f "$1" && touch "$1"`, "sh", done}})
	if err != nil || out.Code == 0 {
		return false, err
	}
	_, err = s.must(ctx, engine.Command{Name: "make " + dir, Argv: []string{"sh", "-c",
		`umask 077 && mkdir -p "${1%/*}" && find "${1%/*}" -maxdepth 1 -name "*.done" -mtime +` + keptDays +
			` -exec sh -c 'for f; do rm -rf "${f%.done}" "$f"; done' sh {} + ; rm -rf "$1" && umask 022 && mkdir "$1"`, "sh", dir}})
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
	return true, s.room.WriteFile(ctx, done, []byte(s.source.revision+"\n"), 0o644)
}

// keptDays is how long a build that nobody asked for is kept.
const keptDays = "30"

// commands executes the build commands, one after the other, with the levels
// that the build is per as environment variables.
func (s *site) commands(ctx context.Context, dir string) error {
	for i, text := range s.deployment.Build {
		c := engine.Command{Name: text, Argv: []string{"sh", "-c", text}, Dir: dir, Env: s.env}
		out, err := s.room.Run(ctx, c)
		if logErr := s.log(i, text, out); logErr != nil {
			return errors.Join(err, logErr)
		}
		if err != nil {
			return err
		}
		if out.Code != 0 {
			return &commandError{c, out}
		}
	}
	return nil
}

// log keeps what a command printed, on the controller.
func (s *site) log(i int, text string, out engine.Output) error {
	if s.deployer.Logs == "" {
		return nil
	}
	if err := os.MkdirAll(s.deployer.Logs, 0o700); err != nil {
		return err
	}
	role := s.deployer.Experiment.Roles[s.deployment.Role].Name
	name := fmt.Sprintf("build-%s-%s-%.8s-%d.log", role, s.name, s.key, i+1)
	content := fmt.Sprintf("$ %s\n%s%s", text, out.Stdout.Data, out.Stderr.Data)
	return os.WriteFile(filepath.Join(s.deployer.Logs, name), []byte(content), 0o600)
}
