package sshconfig

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

// homeWith makes a home folder whose .ssh holds files.
func homeWith(t *testing.T, files map[string]string) User {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, ".ssh", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	env := map[string]string{"SSH_AUTH_SOCK": "/run/agent", "WHERE": "/keys", "OTHER_SOCK": "/run/other"}
	return User{Name: "me", Home: dir, Hostname: "laptop.example", Getenv: func(n string) string { return env[n] }}
}

func resolve(t *testing.T, u User, alias string) Settings {
	t.Helper()
	c, err := Load(u, filepath.Join(u.Home, ".ssh", "config"))
	if err != nil {
		t.Fatal(err)
	}
	s, err := c.Resolve(t.Context(), alias, "", "")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestDefaults(t *testing.T) {
	u := homeWith(t, map[string]string{"config": ""})
	ssh := func(name string) string { return filepath.Join(u.Home, ".ssh", name) }
	want := Settings{
		Alias: "n", HostName: "n", Port: "22", User: "me", AddressFamily: "any",
		IdentityFiles: []string{ssh("id_rsa"), ssh("id_ecdsa"), ssh("id_ecdsa_sk"), ssh("id_ed25519"), ssh("id_ed25519_sk")}, IdentityAgent: "/run/agent",
		KnownHosts: []string{ssh("known_hosts"), ssh("known_hosts2"), "/etc/ssh/ssh_known_hosts", "/etc/ssh/ssh_known_hosts2"},
	}
	if got := resolve(t, u, "n"); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
}

func TestEveryWordWithItsTokens(t *testing.T) {
	u := homeWith(t, map[string]string{"config": `
Include parts/*.conf
Host n*
  HostName=%h.example
  Port 2222
  user "alice"
  IdentityFile ~/.ssh/%r@%h-%p
  IdentityFile "${WHERE}/a key"
  CertificateFile %d/c-%u.pub
  IdentitiesOnly yes
  IdentityAgent $OTHER_SOCK
  HostKeyAlias cluster
  UserKnownHostsFile ~/k-%k /dev/shm/k%%
  GlobalKnownHostsFile none
  ProxyJump bob@gate:22,[fd00::1]:23,ssh://inner/
  ConnectTimeout 7
`, "parts/a.conf": "Host other\n User x\n"})
	got := resolve(t, u, "n1")
	want := Settings{
		Alias: "n1", HostName: "n1.example", Port: "2222", User: "alice", AddressFamily: "any",
		IdentityFiles: []string{u.Home + "/.ssh/alice@n1.example-2222", "/keys/a key"}, IdentitiesGiven: true,
		CertificateFiles: []string{u.Home + "/c-me.pub"}, IdentitiesOnly: true, IdentityAgent: "/run/other",
		HostKeyAlias: "cluster", KnownHosts: []string{u.Home + "/k-cluster", "/dev/shm/k%"},
		Jumps:          []Jump{{"bob", "gate", "22"}, {"", "fd00::1", "23"}, {"", "inner", ""}},
		ConnectTimeout: 7 * time.Second,
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
}

func TestGivenUserAndPortComeFirst(t *testing.T) {
	u := homeWith(t, map[string]string{"config": "Host *\n User alice\n Port 1\n"})
	c, err := Load(u, filepath.Join(u.Home, ".ssh", "config"))
	if err != nil {
		t.Fatal(err)
	}
	if s, _ := c.Resolve(t.Context(), "n", "carol", "3"); s.User != "carol" || s.Port != "3" {
		t.Errorf("got %s, %s", s.User, s.Port)
	}
}

func TestIncludeInABlockThatDoesNotMatch(t *testing.T) {
	u := homeWith(t, map[string]string{
		"config": "Host other\n Include inner\n User outer\nHost *\n Port 5\n",
		"inner":  "Port 4\nHost *\n Port 3\n User inner\n",
	})
	if s := resolve(t, u, "n"); s.Port != "5" || s.User != "me" {
		t.Errorf("n: %s, %s", s.Port, s.User)
	}
	if s := resolve(t, u, "other"); s.Port != "4" || s.User != "inner" {
		t.Errorf("other: %s, %s", s.Port, s.User)
	}
}

func TestWhatCannotBeKeptIsSaid(t *testing.T) {
	for text, want := range map[string]string{
		"Host n\n ProxyCommand nc %h %p":    `config:2:1: host "n": ProxyCommand is not supported (use ProxyJump`,
		"HostName %q":                       `config:1:1: hostname "%q": unknown token %q`,
		"IdentityFile ~bob-who-is-not/k":    `no home of user "bob-who-is-not"`,
		"IdentityFile ${NOT_THERE}/k":       "environment variable NOT_THERE is not set",
		"User \"alice":                      "a quote that is not closed",
		"User":                              `config:1:1: "User": no value`,
		"Port 0":                            `port "0": not 1 to 65535`,
		"ProxyJump -x":                      "not [user@]host[:port]",
		"Include config":                    "included more than 16 deep",
		"UserKnownHostsFile a${WHERE":       "not closed",
		"ConnectTimeout soon":               `ConnectTimeout "soon": not a number of seconds`,
		"ProxyCommand none\nProxyJump a,-b": "",
	} {
		u := homeWith(t, map[string]string{"config": text})
		c, err := Load(u, filepath.Join(u.Home, ".ssh", "config"))
		if err == nil {
			_, err = c.Resolve(t.Context(), "n", "", "")
		}
		if want == "" && err == nil {
			continue
		}
		if err == nil || want == "" || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func TestProxyCommandOfOthersIsNoError(t *testing.T) {
	u := homeWith(t, map[string]string{"config": "Host other\n ProxyCommand nc\nHost n\n ProxyJump gate\n ProxyCommand late\n"})
	c, err := Load(u, filepath.Join(u.Home, ".ssh", "config"))
	if err != nil {
		t.Fatal(err)
	}
	if s, err := c.Resolve(t.Context(), "n", "", ""); err != nil || len(s.Jumps) != 1 {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestWarnings(t *testing.T) {
	u := homeWith(t, map[string]string{"config": `Match version OpenSSH_1*
  User evil
Host *
  StrictHostKeyChecking no
  PKCS11Provider p11.so
  ControlMaster auto
`})
	s := resolve(t, u, "n")
	var got []string
	for _, w := range s.Warnings {
		got = append(got, strings.TrimPrefix(w.Error(), u.Home+"/.ssh/"))
	}
	want := []string{
		"config:1:1: Match block: skipped, its criterion \"version\" is not known here (put what the host needs into a Host block)",
		"config:4:1: StrictHostKeyChecking no: ignored, keys are always checked",
		"config:5:1: PKCS11Provider p11.so: ignored, its keys work through the ssh-agent: ssh-add -s",
	}
	if s.User != "me" || !reflect.DeepEqual(got, want) {
		t.Errorf("user %q, warnings %q", s.User, got)
	}
}

func TestAFileThatWasNamedMustBeThere(t *testing.T) {
	u := homeWith(t, nil)
	if _, err := Load(u, filepath.Join(u.Home, "none")); err == nil {
		t.Error("no error")
	}
	if _, err := Load(u, ""); err != nil {
		t.Error(err)
	}
}

func FuzzConfig(f *testing.F) {
	f.Add("Host a !b*\n User \"x y\" # z\nPort=2\n", "ab")
	f.Add("Match final host a !user x\n CanonicalizeHostname yes\nCanonicalDomains b\nProxyCommand a %h # b\nCiphers +a*\n", "a")
	f.Add("Include *\nMatch all\nIdentityFile %%%h\n", "a")
	f.Fuzz(func(t *testing.T, text, alias string) {
		lines, err := parse("config", text)
		if err != nil {
			return
		}
		me := User{Name: "me", Home: "/h", Getenv: func(string) string { return "v" }}
		me.LookupCNAME = func(_ context.Context, name string) (string, error) { return name, nil }
		c := &Config{user: me, lines: lines}
		s, err := c.Resolve(t.Context(), alias, "", "")
		if err == nil && (s.Port == "" || s.User == "" && !strings.Contains(strings.ToLower(text), "user")) {
			t.Errorf("%+v", s)
		}
	})
}
