package tune

import (
	"fmt"
	"path"
	"strings"
)

// A place is where steps are made: the boot and the network namespace.
type place struct{ boot, network string }

// prologue makes one process run the script, in the network that it is about.
// Another boot has settings of its own; a network that is gone took its settings
// with it.
const prologue = `# What mpf changed on this host, and how it was. To put it back: sh THIS-FILE
if [ "$(cat /proc/sys/kernel/random/boot_id)" != %[1]s ]; then rm -f -- "$0"; exit 0; fi
if ! mkdir -- "$0.lock" 2>/dev/null && [ -z "$MPF_NETWORK" ]; then
  i=0
  while [ -e "$0" ] && [ $i -lt 50 ]; do sleep 0.1; i=$((i+1)); done
  [ -e "$0" ] || exit 0
fi
network=${MPF_NETWORK:-here}
if [ "$(readlink /proc/self/ns/net)" != %[2]s ] && [ "$network" = here ]; then
  for n in /run/netns/* /proc/[0-9]*/ns/net; do
    if [ "$(stat -L -c 'net:[%%i]' "$n" 2>/dev/null)" = %[2]s ]; then
      MPF_NETWORK=here exec nsenter --net="$n" sh "$0"
    fi
  done
  network=gone
fi
failed=0
try() { # NAME BEFORE COMMAND...
  name=$1 before=$2; shift 2
  if error=$("$@" 2>&1); then echo "$name is put back to $before"
  else echo "$name cannot be put back to $before: $error"; failed=1; fi
}
made() { # TEXT COMMAND...
  text=$1; shift
  case $("$@" 2>/dev/null) in *"$text"?*) ;; *) false ;; esac
}
put() { printf %%s "$1" | tee -- "$2" >/dev/null; }
`

const epilogue = `[ $failed = 1 ] || rm -f -- "$0"
rmdir -- "$0.lock"
exit 0
`

// undoing is the script that undoes steps, the last one first. It stays where it
// is if something cannot be put back.
func undoing(steps []Step, at place) string {
	var b strings.Builder
	fmt.Fprintf(&b, prologue, quoted(at.boot), quoted(at.network))
	for i := len(steps) - 1; i >= 0; i-- {
		s := steps[i]
		name, condition := quoted(s.Origin.Name), ""
		if s.Network {
			condition = "[ $network = gone ] || "
		}
		for j := len(s.Files) - 1; j >= 0; j-- {
			before := quoted(inForce(s.Files[j].Text))
			fmt.Fprintf(&b, "%stry %s %s put %s %s\n", condition, name, before, before, quoted(s.Files[j].Path))
		}
		if s.Undo != nil {
			fmt.Fprintf(&b, "%s%stry %s %s %s\n", condition, s.Made.condition(), name, quoted(s.Before), words(s.Undo))
		}
	}
	b.WriteString(epilogue)
	return b.String()
}

// condition keeps what was never made, or what somebody else has undone, from
// being undone.
func (m made) condition() string {
	if m.look == nil {
		return ""
	}
	return fmt.Sprintf("! made %s %s || ", quoted(m.text), words(m.look))
}

// doing is the script that makes a step. It prints what goes wrong.
func doing(s Step) string {
	if s.Do != nil {
		return words(s.Do) + " 2>&1; exit 0\n"
	}
	var b strings.Builder
	for _, f := range s.Files {
		fmt.Fprintf(&b, "printf %%s %s | tee -- %s 2>&1 >/dev/null\n", quoted(s.Value), quoted(f.Path))
	}
	return b.String() + "exit 0\n"
}

// inForce is the value in a file of the kernel. Where the file lists all values,
// it is the one in brackets.
func inForce(text string) string {
	if _, rest, ok := strings.Cut(text, "["); ok {
		text, _, _ = strings.Cut(rest, "]")
	}
	return strings.TrimSpace(text)
}

// quoted is a word that a shell takes as it stands.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

func words(argv []string) string {
	quotedWords := make([]string, len(argv))
	for i, w := range argv {
		quotedWords[i] = quoted(w)
	}
	return strings.Join(quotedWords, " ")
}

// where names what a step changed.
func (s Step) where() string {
	switch {
	case s.Do != nil:
		return strings.Join(s.Do, " ")
	case len(s.Files) == 1:
		return s.Files[0].Path
	}
	return path.Clean(s.Pattern)
}
