package command

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"mpf/remote/agentbin"
	"mpf/remote/wire"
)

// Via runs the agent where an argv leads: `docker exec -i box`, `ip netns exec
// blue`, `srun -w node1`. The words of a sh command are added to the argv.
type Via struct {
	Argv  []string
	Agent string // a path on the host, or empty: the agent is sent if need be
	Find  func(ctx context.Context, goos, goarch string) (agentbin.Binary, error)
}

func (t Via) String() string { return strings.Join(t.Argv, " ") }

// Dial starts an agent.
func (t Via) Dial(ctx context.Context) (*Stream, error) {
	if t.Agent != "" {
		return start(t.with(t.Agent, wire.AgentArgument))
	}
	s, err := start(t.with("sh", "-c", script))
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { s.abort() })
	defer stop()
	if err := t.bring(ctx, s); err != nil {
		return nil, s.abandon(ctx, err)
	}
	return s, nil
}

func (t Via) with(words ...string) []string {
	return append(append([]string{}, t.Argv...), words...)
}

// script is what runs on the host until the agent does. It says which machine it
// is, is told a hash, a size and a word that nobody had before, says whether it
// has that agent, takes it if not, and becomes it. What it is sent comes one
// answer at a time, so that no reader can take more than its own part. An agent
// gets its name when it is whole; those of other versions go then. A home in
// which nothing can be made is common in containers: they have a folder in /tmp.
const script = `umask 077
fail() { echo "mpf-fail $*"; exit 1; }
echo "mpf-host $(uname -s) $(uname -m)"
read -r hash size nonce || exit 1
d="${XDG_CACHE_HOME:-$HOME/.cache}/mpf"
mkdir -p "$d" 2>/dev/null || [ -e "$d" ] || [ -L "$d" ] || { d="${TMPDIR:-/tmp}/mpf-$(id -u)"; mkdir -p "$d"; }
[ -O "$d" ] && ! [ -L "$d" ] || fail "$d is a symbolic link or belongs to somebody else (look who made it, then remove it)"
chmod 700 "$d"
f="$d/agent-$hash"
if ! [ -x "$f" ] || [ "$(wc -c <"$f")" -ne "$size" ]; then
  t="$f.$nonce.tmp"
  echo mpf-send
  head -c "$size" >"$t" && [ "$(wc -c <"$t")" -eq "$size" ] && chmod 700 "$t" && mv "$t" "$f" ||
    { rm -f "$t"; fail "the agent could not be stored in $d (see whether it can be written, and has room: df $d)"; }
  find "$d" -maxdepth 1 -type f -name "agent-*" ! -name "agent-$hash" \( ! -name "*.tmp" -o -mmin +60 \) -exec rm -f {} + 2>/dev/null
fi
[ -x "$f" ] || fail "$d allows no programs to run: its file system is mounted noexec (remount it, or set XDG_CACHE_HOME there)"
echo mpf-start
exec "$f" ` + wire.AgentArgument

// bring gets the agent to the host and started.
func (t Via) bring(ctx context.Context, s *Stream) error {
	lines := byteLines{s}
	machine, err := lines.expect("mpf-host")
	if err != nil {
		return err
	}
	goos, goarch, err := platform(machine)
	if err != nil {
		return err
	}
	binary, err := t.Find(ctx, goos, goarch)
	if err != nil {
		return err
	}
	s.sha256 = binary.SHA256
	if _, err := fmt.Fprintf(s, "%s %d %s\n", binary.SHA256, binary.Size(), rand.Text()); err != nil {
		return err
	}
	word, err := lines.next()
	if err == nil && word == "mpf-send" {
		sendErr := send(s, binary)
		// A host that does not take it all says why.
		if word, err = lines.next(); err != nil {
			err = errors.Join(sendErr, err)
		}
	}
	if err != nil {
		return err
	}
	if why, failed := strings.CutPrefix(word, "mpf-fail "); failed {
		return errors.New(why)
	}
	if word != "mpf-start" {
		return fmt.Errorf("expected mpf-start, got %q", word)
	}
	return nil
}

func send(to io.Writer, binary agentbin.Binary) error {
	w := bufio.NewWriterSize(to, 256<<10)
	if _, err := io.Copy(w, binary.Reader()); err != nil {
		return err
	}
	return w.Flush()
}

// platform is how Go names a machine that uname described.
func platform(uname string) (goos, goarch string, err error) {
	system, machine, _ := strings.Cut(uname, " ")
	arch := map[string]string{"x86_64": "amd64", "amd64": "amd64", "aarch64": "arm64", "arm64": "arm64"}[machine]
	if system != "Linux" || arch == "" {
		return "", "", fmt.Errorf("hosts must run linux on amd64 or arm64, not %q", uname)
	}
	return "linux", arch, nil
}

// byteLines reads lines and not a byte more: the agent's preamble follows.
type byteLines struct{ r io.Reader }

const longestLine = 4 << 10

func (l byteLines) next() (string, error) {
	var line []byte
	one := make([]byte, 1)
	for len(line) < longestLine {
		if _, err := io.ReadFull(l.r, one); err != nil {
			return "", fmt.Errorf("no agent was started: %w", err)
		}
		if one[0] == '\n' {
			return strings.TrimSuffix(string(line), "\r"), nil
		}
		line = append(line, one[0])
	}
	return "", fmt.Errorf("expected a line, got %s", strconv.Quote(string(line[:80])))
}

// expect reads the line that begins with a word.
func (l byteLines) expect(word string) (string, error) {
	line, err := l.next()
	if err != nil {
		return "", err
	}
	rest, ok := strings.CutPrefix(line, word+" ")
	if !ok {
		return "", fmt.Errorf("expected %s, got %q", word, line)
	}
	return rest, nil
}
