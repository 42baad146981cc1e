package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"mpf/engine/enginetest"
	"mpf/remote/agent"
)

var update = flag.Bool("update", false, "write what was seen into the golden files")

// TestMain lets the test binary be mpf, and the agent that mpf starts.
func TestMain(m *testing.M) {
	if agent.Invoked(os.Args) {
		os.Exit(agent.Main(os.Args))
	}
	testscript.Main(m, map[string]func(){"mpf": main})
}

// Each script is a user at a terminal. The first word of its name is the
// subcommand that it is about.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:           "testdata",
		UpdateScripts: *update,
		Condition:     condition,
		Setup: func(e *testscript.Env) error {
			e.Setenv("HOME", e.WorkDir)
			e.Setenv("MPF_HOST_LOCK", filepath.Join(e.WorkDir, "host.lock"))
			e.Setenv("EXPERIMENTS", os.Getenv("PWD")+"/../../experiments")
			return nil
		},
	})
}

// condition knows "root": whether the user is, or has to be.
func condition(name string) (bool, error) {
	if name != "root" {
		return false, fmt.Errorf("unknown condition %q", name)
	}
	return os.Getuid() == 0 || os.Getenv(enginetest.RequireVariable) != "", nil
}
