package sshconfig

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"mpf/engine/enginetest"
)

// section is the lower-case words in quotes of a part of the document.
func section(t *testing.T, title string) []string {
	t.Helper()
	text, err := os.ReadFile("../../docs/ssh.md")
	if err != nil {
		t.Fatal(err)
	}
	_, part, found := strings.Cut(string(text), "\n## "+title+"\n")
	if !found {
		t.Fatalf("docs/ssh.md has no part %q", title)
	}
	part, _, _ = strings.Cut(part, "\n## ")
	var words []string
	for _, m := range regexp.MustCompile("`([A-Za-z0-9]+)`").FindAllStringSubmatch(part, -1) {
		words = append(words, strings.ToLower(m[1]))
	}
	return words
}

// ancient are words that ssh itself does not know any more, aliases, and the
// marks of a system.
var ancient = strings.Fields(`afstokenpassing challengeresponseauthentication cipher compressionlevel fallbacktorsh globalknownhostsfile2
	hostbasedkeytypes keepalive kerberosauthentication kerberostgtpassing protocol protocolkeepalives rhostsauthentication
	rhostsrsaauthentication rsaauthentication setuptimeout skeyauthentication tisauthentication usekeychain useprivilegedport
	userknownhostsfile2 useroaming usersh`)

func TestDocumentSaysWhatEachWordDoes(t *testing.T) {
	counts, said, nothing := section(t, "Counts"), section(t, "Is said, and changes nothing"), section(t, "Makes no difference")
	refused := section(t, "Is refused")
	for _, word := range supported {
		if !slices.Contains(counts, word) && !slices.Contains(refused, word) {
			t.Errorf("%s is heeded, and the document does not say it", word)
		}
	}
	for word := range unheeded {
		if !slices.Contains(said, word) {
			t.Errorf("%s is warned of, and the document does not say it", word)
		}
	}
	for _, word := range harmless {
		if !slices.Contains(nothing, word) && !slices.Contains(ancient, word) {
			t.Errorf("%s makes no difference, and the document does not say it", word)
		}
	}
}

// Nothing that this version of ssh knows is left to be warned of as unknown.
func TestEveryWordOfOpenSSHIsDecidedOn(t *testing.T) {
	enginetest.Need(t, "ssh")
	known := slices.Concat(supported, harmless, []string{"host", "identityfile", "certificatefile"})
	for _, line := range strings.Split(sshOutput(t, "-G", "-F", os.DevNull, "n"), "\n") {
		word, _, _ := strings.Cut(strings.ToLower(line), " ")
		if _, said := unheeded[word]; !said && !slices.Contains(known, word) {
			t.Errorf("%s: nobody decided what it does", word)
		}
	}
}
