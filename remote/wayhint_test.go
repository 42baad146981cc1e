package remote

import (
	"strings"
	"testing"
)

func TestWhatIsSaidOnTheWayToAnAgent(t *testing.T) {
	const install = "install sudo there"
	for said, want := range map[string]string{
		`local: sudo: exec: "sudo": executable file not found in $PATH`: install,
		"sh: 1: sudo: not found":                install,
		"bash: line 1: sudo: command not found": install,
		"sudo: a password is required":          "alice ALL=(ALL) NOPASSWD: ALL",
		"sudo: ip: command not found":           "",
		"connection refused":                    "",
	} {
		if got := wayHint(said, "alice"); !strings.Contains(got, want) || (got == "") != (want == "") {
			t.Errorf("%s: got %q, want %q", said, got, want)
		}
	}
}
