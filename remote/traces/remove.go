package traces

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// A Trace is a folder that mpf left on a host.
type Trace struct {
	Path  string
	Bytes int64
}

// A UsedError is a folder that is in use.
type UsedError struct {
	Path string
	PID  string // of the agent
}

func (e *UsedError) Error() string {
	return fmt.Sprintf("%s is in use by the agent with pid %s: wait for the end of its campaign, or end it", e.Path, e.PID)
}

// Script is what removes the traces of whoever executes it, between single
// quotes. It prints a line for each, and one at its end. Files of root's, that
// commands left there, need sudo.
const Script = `for d in "${XDG_CACHE_HOME:-$HOME/.cache}/mpf" "$HOME/.cache/mpf" "${TMPDIR:-/tmp}/mpf-$(id -u)" "/tmp/mpf-$(id -u)"; do ` +
	`[ -d "$d" ] && [ -O "$d" ] || continue; [ -L "$d" ] && continue; ` +
	`u=$(grep -ls "^$d/agent-" /proc/[0-9]*/cmdline | head -n 1); u=${u#/proc/}; u=${u%/*}; ` +
	`for r in "$d"/host-*/agents/*; do p=${r##*-}; ` +
	`case " $(tr "\000" " " 2>/dev/null <"/proc/$p/cmdline") " in *" agent "*) u=$p;; esac; done; ` +
	`[ -n "$u" ] && { echo "` + marker + ` used $u $d"; continue; }; ` +
	`k=$(du -sk "$d" 2>/dev/null | cut -f 1); ` +
	`rm -rf "$d" 2>/dev/null || sudo -n rm -rf -- "$d" 2>/dev/null; ` +
	`s=removed; [ -e "$d" ] && s=kept; echo "` + marker + ` $s ${k:-0} $d"; ` +
	`done 2>/dev/null; echo "` + marker + ` done"`

// marker begins the lines of the script's answer.
const marker = "mpf-clean"

// Parse reads what the script printed.
func Parse(printed string) ([]Trace, error) {
	var removed []Trace
	var errs []error
	used := map[string]bool{} // two names may lead to one folder
	done := false
	for line := range strings.Lines(printed) {
		words := strings.SplitN(strings.TrimSpace(line), " ", 4)
		switch {
		case words[0] != marker:
		case len(words) == 2 && words[1] == "done":
			done = true
		case len(words) != 4:
			errs = append(errs, fmt.Errorf("expected a line of %s, got %q", marker, line))
		case words[1] == "used" && used[words[3]]:
		case words[1] == "used":
			used[words[3]] = true
			errs = append(errs, &UsedError{Path: words[3], PID: words[2]})
		case words[1] == "kept":
			errs = append(errs, fmt.Errorf("%s cannot be removed", words[3]))
		default:
			kib, _ := strconv.ParseInt(words[2], 10, 64) // a host without du does not say it
			removed = append(removed, Trace{Path: words[3], Bytes: kib << 10})
		}
	}
	if !done {
		errs = append(errs, fmt.Errorf("the host did not end its cleaning: it printed %q", printed))
	}
	return removed, errors.Join(errs...)
}
