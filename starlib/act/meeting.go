package act

import (
	"context"
	"fmt"

	"go.starlark.net/starlark"

	"mpf/engine"
	"mpf/starlib/convert"
	"mpf/starlib/script"
)

func meetingMethods() []method {
	return []method{{
		script.Doc{
			Signature: "ctx.barrier(name, n, timeout = None)",
			Text:      "Waits until n steps wait at the barrier of that name.",
			When:      "in steps that run at once: of several hosts, or of together", Checks: "n is at least 1",
			Error: "`barrier \"go\": still waiting for 3 after 10s`",
		}, (*Context).barrier}, {
		script.Doc{
			Signature: "ctx.signal(name)",
			Text:      "Lets every ctx.wait_for of that name pass, now and later in the run.",
			When:      inSteps, Checks: "name is a string", Error: "`signal: for parameter name: got int, want string`",
		}, (*Context).signal}, {
		script.Doc{
			Signature: "ctx.wait_for(name, timeout = None)",
			Text:      "Waits for a ctx.signal of that name.",
			When:      inSteps, Checks: "name is a string", Error: "`wait_for \"loaded\": no signal after 10s`",
		}, (*Context).waitFor}, {
		script.Doc{
			Signature: "ctx.sleep(duration)",
			Text:      "Waits: \"250ms\", \"1m30s\" or a number of seconds.",
			When:      inSteps, Checks: "duration is not negative", Error: "`sleep: for parameter duration: got \"1 s\", want a duration such as \"250ms\"...`",
		}, (*Context).sleep}, {
		script.Doc{
			Signature: `ctx.wait_port(number, timeout = "30s")`,
			Text:      "Waits until something listens on a TCP port of this host.",
			When:      inSteps, Checks: "number is 1 to 65535", Error: "`wait_port 5201: nothing listens after 30s`",
		}, (*Context).waitPort},
	}
}

// within runs a wait that ends with the step or after d, if d is set.
func (c *Context) within(d convert.Timeout, late func() error, wait func(context.Context) error) (starlark.Value, error) {
	ctx := c.ctx
	if d.Set {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, d.D)
		defer cancel()
	}
	err := wait(ctx)
	if err != nil && ctx.Err() != nil && c.ctx.Err() == nil {
		return nil, late()
	}
	if err != nil {
		return nil, err
	}
	return starlark.None, nil
}

func (c *Context) barrier(call *script.Call) (starlark.Value, error) {
	var name convert.Text
	var n convert.Count
	var timeout convert.Timeout
	if err := call.Unpack("name", &name, "n", &n, "timeout??", &timeout); err != nil {
		return nil, err
	}
	if n.N < 1 {
		return nil, fmt.Errorf("barrier %q: n = %d, want at least 1", name, n.N)
	}
	who := fmt.Sprintf("barrier %q", name)
	return c.within(timeout,
		func() error { return stillWaiting(who, fmt.Sprintf("still waiting for %d", n.N), timeout.D) },
		func(ctx context.Context) error { return c.rc.Meeting.Barrier(ctx, string(name), n.N) })
}

func (c *Context) signal(call *script.Call) (starlark.Value, error) {
	var name convert.Text
	if err := call.Unpack("name", &name); err != nil {
		return nil, err
	}
	c.rc.Meeting.Signal(string(name))
	return starlark.None, nil
}

func (c *Context) waitFor(call *script.Call) (starlark.Value, error) {
	var name convert.Text
	var timeout convert.Timeout
	if err := call.Unpack("name", &name, "timeout??", &timeout); err != nil {
		return nil, err
	}
	return c.within(timeout,
		func() error { return stillWaiting(fmt.Sprintf("wait_for %q", name), "no signal", timeout.D) },
		func(ctx context.Context) error { return c.rc.Meeting.Await(ctx, string(name)) })
}

func (c *Context) sleep(call *script.Call) (starlark.Value, error) {
	var d convert.Duration
	if err := call.Unpack("duration", &d); err != nil {
		return nil, err
	}
	if err := (engine.SystemClock{}).Sleep(c.ctx, d.D); err != nil {
		return nil, err
	}
	return starlark.None, nil
}

func (c *Context) waitPort(call *script.Call) (starlark.Value, error) {
	var number int
	timeout := convert.Timeout{Duration: convert.Duration{D: readyTimeout, Set: true}}
	if err := call.Unpack("number", &number, "timeout?", &timeout); err != nil {
		return nil, err
	}
	if err := checkPort("wait_port", number); err != nil {
		return nil, err
	}
	return c.within(timeout,
		func() error { return stillWaiting(fmt.Sprintf("wait_port %d", number), "nothing listens", timeout.D) },
		func(ctx context.Context) error { return c.rc.Workspace.WaitPort(ctx, number) })
}
