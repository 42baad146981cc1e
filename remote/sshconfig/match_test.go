package sshconfig

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What `ssh -G` of some versions does not know yet.
func TestCriteriaOfNewerVersions(t *testing.T) {
	for match, want := range map[string]string{
		"tagged lab":                          "in",
		"tagged=lab,x":                        "in",
		"tagged !lab,*":                       "out",
		`tagged ""`:                           "out",
		"sessiontype exec":                    "in",
		"localnetwork 127.0.0.0/8":            "in",
		"localnetwork 127.0.0.1":              "in",
		"localnetwork !0.0.0.0/0,127.0.0.0/8": "out",
		"localnetwork 203.0.113.0/24":         "out",
		"!localnetwork 203.0.113.0/24":        "in",
		"version OpenSSH_9*":                  "out",
		"all":                                 "in",
		"!all":                                "out",
		`exec "touch executed"`:               "out",
		"!all exec true":                      "out",
	} {
		u := homeWith(t, map[string]string{"config": "Tag lab\nProxyJump u@gate:3\nMatch " + match + "\n User in\nMatch all\n User out\n"})
		if s := resolve(t, u, "n"); s.User != want {
			t.Errorf("%s: %s, want %s", match, s.User, want)
		}
	}
}

func TestCriteriaThatCannotBeEvaluated(t *testing.T) {
	for text, want := range map[string]string{
		"Match localnetwork lab":      `config:1:1: match localnetwork "lab": no address with a prefix`,
		"RefuseConnection by \"law\"": `host "n": RefuseConnection: "by law"`,
		"AddressFamily inet5":         `AddressFamily "inet5": not any, inet or inet6`,
	} {
		u := homeWith(t, map[string]string{"config": text})
		c, err := Load(u, filepath.Join(u.Home, ".ssh", "config"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err = c.Resolve(t.Context(), "n", "", ""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

func TestMatchExecutesNothing(t *testing.T) {
	u := homeWith(t, map[string]string{"config": "Match host other exec true\n User x\nMatch exec \"touch executed\"\n User y\n"})
	t.Chdir(u.Home)
	c, err := Load(u, filepath.Join(u.Home, ".ssh", "config"))
	if err != nil {
		t.Fatal(err)
	}
	s, err := c.Resolve(t.Context(), "n", "", "")
	if err != nil || len(s.Warnings) != 1 || !strings.Contains(s.Warnings[0].Error(), `config:3:1: Match block: skipped, its criterion "exec" is a command, and mpf executes none`) {
		t.Errorf("%v, %v", s.Warnings, err)
	}
	if _, err := os.Stat("executed"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the command was executed: %v", err)
	}
}

func TestNamesAreMadeWhole(t *testing.T) {
	names := map[string]string{"n.lab.example.": "n.lab.example.", "alias.lab.example.": "Real.dc.example.", "alias": "real.dc.example.", "a.b.c.lab.example.": "x.", "dot.": "dot."}
	for text, want := range map[string]string{
		"n: CanonicalizeHostname yes":                                                                 "n.lab.example",
		"n: CanonicalizeHostname no":                                                                  "n",
		"n: CanonicalizeHostname yes\nProxyJump g":                                                    "n",
		"n: CanonicalizeHostname always\nProxyJump g":                                                 "n.lab.example",
		"n: CanonicalizeHostname yes\nProxyJump none":                                                 "n.lab.example",
		"x: CanonicalizeHostname yes\nHostName N":                                                     "n.lab.example",
		"unknown: CanonicalizeHostname yes":                                                           "unknown",
		"unknown: CanonicalizeHostname yes\nCanonicalizeFallbackLocal no":                             `host "unknown": none of CanonicalDomains has it`,
		"10.0.0.1: CanonicalizeHostname yes":                                                          "10.0.0.1",
		"dot.: CanonicalizeHostname yes":                                                              "dot",
		"a.b.c: CanonicalizeHostname yes":                                                             "a.b.c",
		"a.b.c: CanonicalizeHostname yes\nCanonicalizeMaxDots 2":                                      "a.b.c.lab.example",
		"alias: CanonicalizeHostname yes":                                                             "alias.lab.example",
		"alias: CanonicalizeHostname yes\nCanonicalizePermittedCNAMEs none":                           "alias.lab.example",
		"alias: CanonicalizeHostname yes\nCanonicalizePermittedCNAMEs x:y *.LAB.example:*.dc.example": "real.dc.example",
	} {
		alias, lines, _ := strings.Cut(text, ": ")
		u := homeWith(t, map[string]string{"config": lines + "\nCanonicalDomains else.example lab.example\nMatch canonical host *.example\n User whole\n"})
		u.LookupCNAME = func(_ context.Context, name string) (string, error) {
			if cname, ok := names[name]; ok {
				return cname, nil
			}
			return "", errors.New("no such host")
		}
		c, err := Load(u, filepath.Join(u.Home, ".ssh", "config"))
		if err != nil {
			t.Fatal(err)
		}
		s, err := c.Resolve(t.Context(), alias, "", "")
		if err != nil {
			s.HostName = err.Error()
		}
		if !strings.HasSuffix(s.HostName, want) || (s.User == "whole") != strings.HasSuffix(want, ".example") {
			t.Errorf("%s: %s by %s, want %s", text, s.HostName, s.User, want)
		}
	}
}

func TestOneWayToTheHostIsTaken(t *testing.T) {
	for text, want := range map[string]string{
		"ProxyJump none\nProxyJump gate":     "",
		"ProxyCommand none\nProxyJump gate":  "",
		"ProxyJump a-%r, b-%h%p":             "a-me,b-n22",
		"ProxyJump gate\nProxyCommand nc":    "gate",
		"ProxyCommand none\nProxyCommand nc": "",
	} {
		u := homeWith(t, map[string]string{"config": text})
		if s := resolve(t, u, "n"); jumps(s.Jumps) != want {
			t.Errorf("%q: %q, want %q", text, jumps(s.Jumps), want)
		}
	}
}

func TestOlderNamesAndHomes(t *testing.T) {
	u := homeWith(t, map[string]string{"config": "PubkeyAcceptedKeyTypes ssh-rsa\nIdentityFile2 ~root/k\nIgnoreUnknown Use*,x\nUseNothing yes\nProtocol 2\n" +
		"PubkeyAuthentication yes\nHostbasedAuthentication no\nNoHostAuthenticationForLocalhost yes\nKnownHostsCommand /bin/x\n"})
	s := resolve(t, u, "n")
	if s.PubkeyAcceptedAlgorithms.Text != "ssh-rsa" || len(s.IdentityFiles) != 1 || s.IdentityFiles[0] != "/root/k" {
		t.Errorf("%+v", s)
	}
	if len(s.Warnings) != 2 || !strings.Contains(s.Warnings[0].Error(), "NoHostAuthenticationForLocalhost yes: ignored, keys are always checked") {
		t.Errorf("%v", s.Warnings)
	}
}
