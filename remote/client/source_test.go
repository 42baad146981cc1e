package client

import (
	"strings"
	"testing"

	"mpf/remote/remotetest"
)

func TestConnectionsComeFromWhereTheConfigurationSays(t *testing.T) {
	s := remotetest.Sshd(t)
	for line, from := range map[string]string{"BindAddress 127.0.0.7": "127.0.0.7", "BindInterface lo": "127.0.0.1", "AddressFamily inet": "127.0.0.1"} {
		out, err := output(t, dialer(t, s.Alias("n", line)), "n", "echo $SSH_CONNECTION")
		if err != nil || !strings.HasPrefix(out, from+" ") {
			t.Errorf("%s: %q, %v, want it from %s", line, out, err, from)
		}
	}
	mustFail(t, dialer(t, s.Alias("n", "BindAddress 203.0.113.7")), "n", "203.0.113.7", "cannot assign requested address")
	mustFail(t, dialer(t, s.Alias("n", "BindInterface none0")), "n", `BindInterface "none0"`)
	mustFail(t, dialer(t, s.Alias("n", "AddressFamily inet6")), "n", `no inet6 address for "127.0.0.1" (see AddressFamily`)
}

// A block that only holds once the name is known leads to the host.
func TestMatchBlocksLeadToTheHost(t *testing.T) {
	s := remotetest.Sshd(t)
	block := strings.Replace(s.Alias("n"), "Host n\n HostName", "Match originalhost n exec \"test %n = n\"\n HostName", 1)
	block = strings.Replace(block, " Port", "Match final host 127.0.0.1 user !nobody,*\n Port", 1)
	if out, err := output(t, dialer(t, block), "n", "echo $HOME"); err != nil || out != s.Home {
		t.Errorf("%q, %v\n%s", out, err, block)
	}
}
