package remotetest

import (
	"context"
	"slices"
	"testing"
	"time"

	"mpf/engine"
)

// HostContract is what every engine.Host must do, however it is reached. Make
// reaches a host with a grace of at most a second; the suite closes it. The
// host shares the file system of the test.
func HostContract(t *testing.T, make func(t *testing.T) engine.Host) {
	t.Helper()
	HostContractWithout(t, nil, make)
}

// HostContractWithout leaves out parts of the contract, by their names.
func HostContractWithout(t *testing.T, parts []string, make func(t *testing.T) engine.Host) {
	h := make(t)
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	for _, part := range []struct {
		name string
		test func(*contract)
	}{
		{"Info", (*contract).info},
		{"Run", (*contract).run},
		{"RunFails", (*contract).runFails},
		{"Environment", (*contract).environment},
		{"Stdin", (*contract).stdin},
		{"Output", (*contract).output},
		{"Timeout", (*contract).timeout},
		{"Cancel", (*contract).cancel},
		{"ChildHoldsOutput", (*contract).childHoldsOutput},
		{"Usage", (*contract).usage},
		{"Start", (*contract).start},
		{"StartNotReady", (*contract).startNotReady},
		{"Files", (*contract).files},
		{"HostileFiles", (*contract).refusedFiles},
		{"WaitPort", (*contract).waitPort},
		{"Live", (*contract).live},
		{"Sampling", (*contract).sampling},
		{"NothingStays", (*contract).nothingStays},
		{"Fence", (*contract).fence},
		{"AtOnce", (*contract).atOnce},
	} {
		if slices.Contains(parts, part.name) {
			continue
		}
		t.Run(part.name, func(t *testing.T) { part.test(newContract(t, h)) })
	}
}

// A contract is one test of the suite, with a workspace of its own.
type contract struct {
	*testing.T
	host    engine.Host
	ctx     context.Context
	attempt engine.Attempt
	w       engine.Workspace
	closed  bool
}

// testLimit bounds each test of the suite.
const testLimit = 60 * time.Second

func newContract(t *testing.T, h engine.Host) *contract {
	ctx, cancel := context.WithTimeout(t.Context(), testLimit)
	t.Cleanup(cancel)
	return &contract{T: t, host: h, ctx: ctx, attempt: NewAttempt()}
}

// open begins the attempt and ends it with the test.
func (c *contract) open() engine.Workspace {
	c.Helper()
	w, err := c.host.Open(c.ctx, c.attempt)
	if err != nil {
		c.Fatalf("open: %v", err)
	}
	c.w = w
	c.Cleanup(func() {
		if !c.closed {
			c.close()
		}
	})
	return w
}

func (c *contract) close() engine.Closing {
	c.Helper()
	c.closed = true
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.ctx), testLimit)
	defer cancel()
	closing, err := c.w.Close(ctx)
	if err != nil {
		c.Errorf("close: %v", err)
	}
	return closing
}

// sh runs a script to its end; it must be started.
func (c *contract) sh(script string) engine.Output {
	c.Helper()
	return c.command(engine.Command{Argv: []string{"sh", "-c", script}})
}

func (c *contract) command(command engine.Command) engine.Output {
	c.Helper()
	out, err := c.w.Run(c.ctx, command)
	if err != nil {
		c.Fatalf("run %q: %v", command.Argv, err)
	}
	return out
}

func (c *contract) expect(what string, got, want any) {
	c.Helper()
	if got != want {
		c.Errorf("%s: got %v, want %v", what, got, want)
	}
}
