package sshconfig

import (
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mpf/engine/enginetest"
)

// Random configurations mean to this package what they mean to ssh.
func TestAgreesWithOpenSSH(t *testing.T) {
	enginetest.Need(t, "ssh")
	random := rand.New(rand.NewSource(1))
	for i := range 60 {
		dir := t.TempDir()
		write := func(name, text string) string {
			path := filepath.Join(dir, name)
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			return path
		}
		write("one.inc", randomBlocks(random, ""))
		write("two.inc", randomBlocks(random, ""))
		text := randomBlocks(random, dir)
		path := write("config", text)
		for _, alias := range []string{"node1", "node22", "gate"} {
			compare(t, path, alias, fmt.Sprintf("configuration %d:\n%s", i, text))
		}
	}
}

func randomBlocks(random *rand.Rand, includes string) string {
	pick := func(of ...string) string { return of[random.Intn(len(of))] }
	var b strings.Builder
	for range 2 + random.Intn(8) {
		switch random.Intn(12) {
		case 0, 1, 2:
			fmt.Fprintf(&b, "%s %s %s\n", pick("Host", "host"), pick("node*", "node1", "*", "gate", "n?de1"), pick("", "!node22", "!n*", "x"))
		case 3:
			if includes != "" {
				fmt.Fprintf(&b, "Include %s/%s\n", includes, pick("one.inc", "two.inc", "*.inc", "none"))
			}
		case 4:
			fmt.Fprintf(&b, "  HostName %s\n", pick("10.0.0.1", "%h.example", `"a%%b"`))
		case 5:
			fmt.Fprintf(&b, "\tUser%s%s # who\n", pick(" ", "=", " = "), pick("alice", `"bo b"`, "carol"))
		case 6:
			fmt.Fprintf(&b, "Port %d\n", 1+random.Intn(9))
		case 7:
			fmt.Fprintf(&b, "IdentityFile /k/%d\n", random.Intn(4))
		case 8:
			fmt.Fprintf(&b, "HostKeyAlias %s\n", pick("x", "y"))
		case 9:
			fmt.Fprintf(&b, "ProxyJump %s\n", pick("none", "j1", "u@j2:3,j1"))
		case 10:
			fmt.Fprintf(&b, "UserKnownHostsFile %s\n", pick("/a /b", `"/c d"`))
		case 11:
			fmt.Fprintf(&b, "IdentitiesOnly %s\n", pick("yes", "no"))
		}
	}
	return b.String()
}

func compare(t *testing.T, path, alias, what string) {
	t.Helper()
	out, err := exec.Command("ssh", "-G", "-F", path, alias).Output()
	if err != nil {
		t.Fatalf("ssh -G: %v\n%s", err, what)
	}
	theirs := map[string]string{}
	for _, l := range strings.Split(string(out), "\n") {
		word, value, _ := strings.Cut(l, " ")
		theirs[word] += value + ";"
	}
	user := User{Name: os.Getenv("USER"), Home: t.TempDir(), Getenv: os.Getenv}
	c, err := Load(user, path)
	if err != nil {
		t.Fatal(err)
	}
	s, err := c.Resolve(alias, "", "")
	if err != nil {
		t.Fatalf("%v\n%s", err, what)
	}
	ours := map[string]string{"hostname": s.HostName, "port": s.Port, "hostkeyalias": s.HostKeyAlias, "proxyjump": jumps(s.Jumps)}
	if s.User != user.Name {
		ours["user"] = s.User
	}
	if s.IdentitiesGiven {
		ours["identityfile"] = strings.Join(s.IdentityFiles, ";")
	}
	for word, value := range ours {
		if value != "" {
			value += ";"
		}
		if theirs[word] != value {
			t.Errorf("%s of %s: %q, ssh says %q\n%s", word, alias, value, theirs[word], what)
		}
	}
}

func jumps(all []Jump) string {
	var texts []string
	for _, j := range all {
		text := j.Host
		if j.User != "" {
			text = j.User + "@" + text
		}
		if j.Port != "" {
			text += ":" + j.Port
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, ",")
}
