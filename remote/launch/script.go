package launch

import (
	"fmt"
	"strings"

	"mpf/remote/wire"
)

// marker begins the line by which the script answers.
const marker = "mpf-start"

// cacheDir is the agent's folder, in the home of whoever logs in.
const cacheDir = ".cache/mpf"

// script is the command that becomes the agent if it is there, and says what
// is there instead. It is one line, without a character that any login shell
// reads otherwise than sh within single quotes; csh minds exclamation marks.
//
// [ -O ] asks whether the login owns what it names. Where the agent lies, a kernel
// that says itself what it runs on spares the host a process that asks.
func script(machine, sha256 string, prefix []string) string {
	return fmt.Sprintf(`sh -c '`+
		`d="$HOME/%s"; f="$d/agent-%s"; k="%s"; m=; `+
		`[ -f "$f" ] && read -r m 2>/dev/null </proc/sys/kernel/arch; m="Linux $m"; [ "$m" = "$k" ] || m="$(uname -sm)"; `+
		`s=other; [ "$m" = "$k" ] && s=missing; `+
		`[ $s = missing ] && [ -e "$d" ] && s=foreign && [ -O "$d" ] && s=missing; `+
		`[ $s = missing ] && [ -L "$d" ] && s=foreign; `+
		`[ $s = missing ] && [ -f "$f" ] && s=unusable && [ -O "$f" ] && [ -x "$f" ] && { echo "%s found"; exec %s"$f" %s; }; `+
		`echo "%s $s $m $(id -u) $HOME"'`,
		cacheDir, sha256, machine, marker, words(prefix), wire.AgentArgument, marker)
}

func words(prefix []string) string {
	if len(prefix) == 0 {
		return ""
	}
	return strings.Join(prefix, " ") + " "
}

// An answer is the script's line.
type answer struct {
	state string // "found", or why not
	found machine
	uid   string
	home  string
}

// A machine is a kind of host, as uname prints it.
type machine struct{ system, hardware string }

func (m machine) String() string { return m.system + " " + m.hardware }

// arch is the machine's name in Go, or empty if no agent is made for it.
func (m machine) arch() string {
	if m.system != "Linux" {
		return ""
	}
	return map[string]string{"x86_64": "amd64", "aarch64": "arm64", "arm64": "arm64"}[m.hardware]
}

// machineOf is the kind of host that runs agents of an architecture.
func machineOf(arch string) machine {
	if arch == "arm64" {
		return machine{"Linux", "aarch64"}
	}
	return machine{"Linux", "x86_64"}
}

// parseAnswer reads the script's line; the home may hold blanks.
func parseAnswer(line string) (answer, bool) {
	if line == marker+" found" {
		return answer{state: "found"}, true
	}
	parts := strings.SplitN(line, " ", 6)
	if len(parts) != 6 || parts[0] != marker {
		return answer{}, false
	}
	return answer{state: parts[1], found: machine{parts[2], parts[3]}, uid: parts[4], home: parts[5]}, true
}
