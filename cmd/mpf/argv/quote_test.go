package argv

import (
	"os/exec"
	"strings"
	"testing"

	"mpf/engine/enginetest"
)

// What is shown of a word is that word again to a shell.
func FuzzQuote(f *testing.F) {
	enginetest.Need(f, "sh")
	for _, word := range []string{"", "plain", "two words", "it's", "$HOME", "a\nb", "*", "ä~", "#", "-n"} {
		f.Add(word)
	}
	f.Fuzz(func(t *testing.T, word string) {
		if strings.ContainsRune(word, 0) {
			return // no argument holds it
		}
		got, err := exec.Command("sh", "-c", "printf %s "+Quote(word)).Output()
		if err != nil || string(got) != word {
			t.Errorf("%q is shown as %s, which is %q (%v)", word, Quote(word), got, err)
		}
	})
}
