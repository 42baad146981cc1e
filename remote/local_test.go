package remote_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"mpf/engine"
	"mpf/remote"
	"mpf/remote/agent"
	"mpf/remote/remotetest"
)

// The test binary is the agent of local hosts, as mpf is.
func TestMain(m *testing.M) {
	if agent.Invoked(os.Args) {
		os.Exit(agent.Main(os.Args))
	}
	if os.Getenv(controllerVariable) != "" {
		fmt.Fprintln(os.Stderr, controller())
		os.Exit(1)
	}
	if root := os.Getenv(tunerVariable); root != "" {
		fmt.Fprintln(os.Stderr, tuner(root))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

var long = flag.Bool("long", false, "believe in silent hosts for as long as mpf does")

// quick are the times of hosts in tests. Tests run beside each other, and share
// the machine.
func quick() remote.LinkOptions {
	if *long {
		return remote.LinkOptions{Beat: 5 * time.Second, Lease: 30 * time.Second, Grace: 5 * time.Second, GiveUp: 45 * time.Second}
	}
	return remote.LinkOptions{
		Beat: 200 * time.Millisecond, Lease: 2 * time.Second, Grace: 500 * time.Millisecond, GiveUp: 5 * time.Second,
	}
}

func here() remote.HostSpec {
	return remote.HostSpec{Name: "here", Address: "127.0.0.1", Shared: true}
}

func connect(t testing.TB, to remote.Transport) *remote.Host {
	t.Helper()
	// Whoever else is tested on this machine does not matter here.
	t.Setenv("MPF_HOST_LOCK", filepath.Join(t.TempDir(), "lock"))
	h, err := remote.Connect(t.Context(), to, here(), quick())
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestLocalIsAHost(t *testing.T) {
	remotetest.HostContract(t, func(t *testing.T) engine.Host { return connect(t, remote.Local{}) })
}
