package sshconfig

import (
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"testing"

	"mpf/engine/enginetest"
)

// Random configurations mean to this package what they mean to ssh.
func TestAgreesWithOpenSSH(t *testing.T) {
	enginetest.Need(t, "ssh")
	random := rand.New(rand.NewSource(1))
	for i := range 100 {
		dir := t.TempDir()
		write := func(name, text string) string {
			path := filepath.Join(dir, name)
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			return path
		}
		one, two, text := randomBlocks(random, ""), randomBlocks(random, ""), randomBlocks(random, dir)
		write("one.inc", one)
		write("two.inc", two)
		path := write("config", text)
		for _, alias := range []string{"node1", "node22", "gate"} {
			compare(t, path, alias, fmt.Sprintf("configuration %d:\n%s\none.inc:\n%s\ntwo.inc:\n%s", i, text, one, two))
		}
	}
}

func randomBlocks(random *rand.Rand, includes string) string {
	pick := func(of ...string) string { return of[random.Intn(len(of))] }
	var b strings.Builder
	for range 2 + random.Intn(10) {
		switch random.Intn(6) {
		case 0:
			fmt.Fprintf(&b, "%s %s %s\n", pick("Host", "host"), pick("node*", "node1", "*", "gate", "n?de1", "*.example", "10.*"), pick("", "!node22", "!n*", "x"))
		case 1:
			fmt.Fprintf(&b, "Match %s %s\n", randomCriterion(pick), pick("", "", randomCriterion(pick)))
		case 2:
			if includes != "" {
				fmt.Fprintf(&b, "Include %s/%s\n", includes, pick("one.inc", "two.inc", "*.inc", "none"))
			}
		default:
			fmt.Fprintln(&b, randomSetting(pick))
		}
	}
	return b.String()
}

// randomCriterion leaves !final out: what it asks for differs between versions
// of ssh.
func randomCriterion(pick func(...string) string) string {
	criterion := pick("host node*", "host 10.0.0.1,gate", "host !*.example,*", "Host NODE1", "originalhost node1,gate", "originalhost !n*,*",
		"user alice", "user !carol,*", "localuser root", "localuser nobody", "final", "canonical")
	if criterion == "final" {
		return criterion
	}
	return pick("", "", "!") + criterion
}

func randomSetting(pick func(...string) string) string {
	return pick(
		"  HostName "+pick("10.0.0.1", "%h.example", `"a%%b"`, "Upper.Example"),
		"\tUser"+pick(" ", "=", " = ")+pick("alice", `"bo b"`, "carol")+" # who",
		"Port "+pick("1", "22", "2222"),
		"IdentityFile /k/"+pick("0", "1", "2"),
		"CertificateFile /c/"+pick("0", "1"),
		"HostKeyAlias "+pick("x", "y"),
		"ProxyJump "+pick("none", "j1", "u@j2:3,j1"),
		"UserKnownHostsFile "+pick("/a /b", `"/c d"`, "/k/%n-%r-%k-%i-%u", "${PWD}/x"),
		"GlobalKnownHostsFile "+pick("/g", "/g /h"),
		"IdentitiesOnly "+pick("yes", "no"),
		"IdentityAgent "+pick("/s/%h-%p", "${PWD}/s", "none", "/s/%L-%l"),
		"ConnectTimeout "+pick("7", "1m30s", "2h", "none"),
		"AddressFamily "+pick("any", "inet", "INET6"),
		"BindAddress "+pick("127.0.0.1", "::1"),
		"BindInterface lo",
		"RevokedHostKeys /r/"+pick("0", "1"),
		"RequiredRSASize "+pick("1024", "2048"),
		"CanonicalizeHostname "+pick("yes", "no", "always"),
	)
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
	theirs["knownhosts"] = strings.ReplaceAll(theirs["userknownhostsfile"]+theirs["globalknownhostsfile"], ";/", " /")
	if agent := theirs["identityagent"]; agent == "none;" {
		theirs["identityagent"] = ""
	} else if agent == "" {
		theirs["identityagent"] = "/the/agent;"
	}
	c, err := Load(myself(t), path)
	if err != nil {
		t.Fatal(err)
	}
	s, err := c.Resolve(t.Context(), alias, "", "")
	if err != nil {
		t.Fatalf("%v\n%s", err, what)
	}
	for word, value := range comparable(s) {
		if theirs[word] != value {
			t.Errorf("%s of %s: %q, ssh says %q\n%s", word, alias, value, theirs[word], what)
		}
	}
}

func myself(t *testing.T) User {
	t.Helper()
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	name, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	return User{Name: me.Username, ID: me.Uid, Home: me.HomeDir, Hostname: name, Getenv: func(name string) string {
		if name == "SSH_AUTH_SOCK" {
			return "/the/agent"
		}
		return os.Getenv(name)
	}}
}

// comparable is what ssh -G says too, as it says it.
func comparable(s Settings) map[string]string {
	given := map[string]string{
		"hostname": s.HostName, "port": s.Port, "user": s.User, "hostkeyalias": s.HostKeyAlias, "identityagent": s.IdentityAgent, "proxyjump": jumps(s.Jumps),
		"addressfamily": s.AddressFamily, "bindaddress": s.BindAddress, "bindinterface": s.BindInterface,
		"revokedhostkeys": strings.Join(s.RevokedHostKeys, " "), "certificatefile": strings.Join(s.CertificateFiles, ";"), "knownhosts": strings.Join(s.KnownHosts, " "),
	}
	if s.IdentitiesGiven {
		given["identityfile"] = strings.Join(s.IdentityFiles, ";")
	}
	for word, value := range given {
		if value != "" {
			given[word] = value + ";"
		}
	}
	given["identitiesonly"] = map[bool]string{true: "yes;", false: "no;"}[s.IdentitiesOnly]
	if s.RequiredRSASize > 0 { // or else what this version of ssh likes
		given["requiredrsasize"] = fmt.Sprintf("%d;", s.RequiredRSASize)
	}
	given["connecttimeout"] = "none;"
	if s.ConnectTimeout > 0 {
		given["connecttimeout"] = fmt.Sprintf("%.0f;", s.ConnectTimeout.Seconds())
	}
	return given
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
