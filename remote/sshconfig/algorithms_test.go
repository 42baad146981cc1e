package sshconfig

import (
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mpf/engine/enginetest"
)

// sshOutput runs ssh and gives what it prints.
func sshOutput(t *testing.T, words ...string) string {
	t.Helper()
	out, err := exec.Command("ssh", words...).Output()
	if err != nil {
		t.Fatalf("ssh %q: %v: %s", words, err, out)
	}
	return strings.TrimSpace(string(out))
}

// sshSetting is what ssh -G says of a word.
func sshSetting(t *testing.T, config, word string) string {
	t.Helper()
	for _, l := range strings.Split(sshOutput(t, "-G", "-F", config, "n"), "\n") {
		if value, ok := strings.CutPrefix(l, strings.ToLower(word)+" "); ok {
			return value
		}
	}
	return ""
}

// With ssh's own algorithms the lists come out as ssh makes them.
func TestAlgorithmListsAgreeWithOpenSSH(t *testing.T) {
	enginetest.Need(t, "ssh")
	random := rand.New(rand.NewSource(1))
	for word, query := range map[string]string{"Ciphers": "cipher", "MACs": "mac", "KexAlgorithms": "kex",
		"HostKeyAlgorithms": "HostKeyAlgorithms", "PubkeyAcceptedAlgorithms": "PubkeyAcceptedAlgorithms", "CASignatureAlgorithms": "sig"} {
		all := strings.Fields(sshOutput(t, "-Q", query))
		usual := strings.Split(sshSetting(t, os.DevNull, word), ",")
		for range 12 {
			text := randomList(random, all, strings.HasSuffix(query, "Algorithms"))
			path := filepath.Join(t.TempDir(), "config")
			if err := os.WriteFile(path, []byte(word+" "+text+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			c, err := Load(User{Home: t.TempDir(), Getenv: os.Getenv}, path)
			if err != nil {
				t.Fatal(err)
			}
			s, err := c.Resolve(t.Context(), "n", "", "")
			if err != nil {
				t.Fatal(err)
			}
			list := map[string]Algorithms{"Ciphers": s.Ciphers, "MACs": s.MACs, "KexAlgorithms": s.KexAlgorithms,
				"HostKeyAlgorithms": s.HostKeyAlgorithms, "PubkeyAcceptedAlgorithms": s.PubkeyAcceptedAlgorithms, "CASignatureAlgorithms": s.CASignatureAlgorithms}[word]
			names, err := list.Of(usual, all)
			theirs := sshSetting(t, path, word)
			if strings.Join(names, ",") != theirs || (err == nil) != (theirs != "") {
				t.Errorf("%s %s: %q, %v, ssh says %q", word, text, names, err, theirs)
			}
		}
	}
}

// randomList has patterns where ssh takes them.
func randomList(random *rand.Rand, all []string, patterns bool) string {
	prefix := []string{"", "+", "-", "^"}[random.Intn(4)]
	var names []string
	for range 1 + random.Intn(3) {
		name := all[random.Intn(len(all))]
		if (patterns || prefix == "-") && random.Intn(2) == 0 {
			name = []string{name[:4] + "*", "*" + name[len(name)-5:], strings.Replace(name, "-", "?", 1)}[random.Intn(3)]
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return prefix + strings.Join(names, ",")
}
