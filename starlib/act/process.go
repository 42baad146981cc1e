package act

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"sync"
	"time"

	"go.starlark.net/starlark"

	"mpf/engine"
	"mpf/starlib/convert"
	"mpf/starlib/script"
)

// A process is a command that runs in the background.
type process struct {
	c       *Context
	command engine.Command
	p       engine.Process
	once    sync.Once // it is recorded once
}

var _ starlark.HasAttrs = (*process)(nil)

func (p *process) String() string        { return fmt.Sprintf("process(%q)", p.command.Argv) }
func (p *process) Type() string          { return "process" }
func (p *process) Freeze()               {}
func (p *process) Truth() starlark.Bool  { return true }
func (p *process) Hash() (uint32, error) { return 0, errors.New("unhashable: process") }

type processMethod struct {
	doc script.Doc
	do  func(*process, *script.Call) (starlark.Value, error)
}

func processMethods() []processMethod {
	return []processMethod{{script.Doc{
		Signature: "process.wait(timeout = None, check = True)",
		Text:      "Waits until the process ends by itself and returns a command.",
		When:      "on what ctx.start returned, until the run's end",
		Checks:    "as `ctx.run` does; a timeout leaves the process running",
		Error:     "`iperf3: still running after 5s`",
	}, (*process).wait}, {script.Doc{
		Signature: "process.stop()",
		Text:      "Ends the process and all that it started, and returns a command.",
		When:      "on what ctx.start returned, until the run's end",
		Checks:    "nothing: being ended is no failure", Error: "none but those of the host",
	}, (*process).stop}, {script.Doc{
		Signature: "process.stdout()",
		Text:      "What the process has written to its standard output so far.",
		When:      "on what ctx.start returned, until the run's end",
		Checks:    "all of it could be kept", Error: "`iperf3: stdout is truncated: 67108864 of 80000000 bytes were kept`",
	}, (*process).stdout}}
}

func (p *process) Attr(name string) (starlark.Value, error) {
	for _, m := range processMethods() {
		if m.doc.Word() == name {
			return script.New(m.doc, func(call *script.Call) (starlark.Value, error) { return m.do(p, call) }), nil
		}
	}
	return nil, nil
}

func (p *process) AttrNames() []string {
	var names []string
	for _, m := range processMethods() {
		names = append(names, m.doc.Word())
	}
	return names
}

func (p *process) wait(call *script.Call) (starlark.Value, error) {
	var timeout convert.Timeout
	check := true
	if err := call.Unpack("timeout??", &timeout, "check?", &check); err != nil {
		return nil, err
	}
	ctx := p.c.ctx
	if timeout.Set {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, timeout.D)
		defer cancel()
	}
	out, err := p.p.Wait(ctx)
	if err != nil {
		if ctx.Err() != nil && p.c.ctx.Err() == nil {
			return nil, stillWaiting(commandName(p.command), "still running", timeout.D)
		}
		return nil, hostError(engine.CauseExit, commandName(p.command), err)
	}
	return p.ended(out, check)
}

func stillWaiting(who, what string, d time.Duration) error {
	return &engine.Failure{Status: engine.TimedOut, Cause: engine.CauseCommand,
		Message: fmt.Sprintf("%s: %s after %s", who, what, d)}
}

func (p *process) stop(call *script.Call) (starlark.Value, error) {
	if err := call.Unpack(); err != nil {
		return nil, err
	}
	out, err := p.p.Stop(p.c.ctx)
	if err != nil {
		return nil, hostError(engine.CauseExit, commandName(p.command), err)
	}
	return p.ended(out, false)
}

func (p *process) ended(out engine.Output, check bool) (starlark.Value, error) {
	p.once.Do(func() { p.c.rc.Journal.Command(out) })
	if check {
		if err := judge(out, p.command); err != nil {
			return nil, err
		}
	}
	return &output{out}, nil
}

func (p *process) stdout(call *script.Call) (starlark.Value, error) {
	if err := call.Unpack(); err != nil {
		return nil, err
	}
	data, err := p.p.Stdout(p.c.ctx)
	if err != nil {
		return nil, hostError(engine.CauseArtifact, commandName(p.command), err)
	}
	return starlark.String(data), nil
}

// A Ready is a condition under which a started process can be used.
type Ready struct {
	text      string
	condition engine.Ready
}

func (r *Ready) String() string        { return r.text }
func (r *Ready) Type() string          { return "ready" }
func (r *Ready) Freeze()               {}
func (r *Ready) Truth() starlark.Bool  { return true }
func (r *Ready) Hash() (uint32, error) { return starlark.String(r.text).Hash() }

// A condition is the argument that takes a Ready.
type condition struct{ until engine.Ready }

func (c *condition) Unpack(v starlark.Value) error {
	r, ok := v.(*Ready)
	if !ok {
		return fmt.Errorf("got %s %v, want port(5201), pattern(\"listening\") or file(\"server.sock\")", v.Type(), v)
	}
	c.until = r.condition
	return nil
}

// readyTimeout is how long a condition is waited for unless it says otherwise.
const readyTimeout = 30 * time.Second

// ReadyBuiltins are the conditions that ctx.start waits for.
func ReadyBuiltins() []*starlark.Builtin {
	var builtins []*starlark.Builtin
	for _, r := range readies() {
		builtins = append(builtins, script.New(r.doc, r.do))
	}
	return builtins
}

// ReadyDocs documents the conditions.
func ReadyDocs() []script.Doc {
	var docs []script.Doc
	for _, r := range readies() {
		docs = append(docs, r.doc)
	}
	return docs
}

type readiness struct {
	doc script.Doc
	do  script.Func
}

func readies() []readiness {
	return []readiness{{script.Doc{
		Signature: `port(number, timeout = "30s")`,
		Text:      "The condition that something listens on a TCP port of the host that did not before.",
		When:      "anywhere", Checks: "number is 1 to 65535", Error: "`port: for parameter number: got 0, want 1 to 65535`",
	}, func(c *script.Call) (starlark.Value, error) {
		number := 0
		return readyWhen(c, "number", &number, func(r *engine.Ready) error {
			r.Port = number
			return checkPort("port", number)
		})
	}}, {script.Doc{
		Signature: `pattern(regexp, timeout = "30s")`,
		Text:      "The condition that a line of the process's output matches a regular expression.",
		When:      "anywhere", Checks: "regexp is a regular expression that is not empty", Error: "`pattern: \"(\": missing closing )`",
	}, func(c *script.Call) (starlark.Value, error) {
		var text string
		return readyWhen(c, "regexp", &text, func(r *engine.Ready) error {
			r.Pattern = text
			if text == "" {
				return errors.New("pattern: the pattern is empty")
			}
			if _, err := regexp.Compile(text); err != nil {
				return fmt.Errorf("pattern: %q: %w", text, err)
			}
			return nil
		})
	}}, {script.Doc{
		Signature: `file(path, timeout = "30s")`,
		Text:      "The condition that a file appears on the host, or is changed; a relative path begins at ctx.dir.",
		When:      "anywhere", Checks: "path is not empty", Error: "`file: the path is empty`",
	}, func(c *script.Call) (starlark.Value, error) {
		var path convert.Text
		return readyWhen(c, "path", &path, func(r *engine.Ready) error {
			r.File = string(path)
			if path == "" {
				return errors.New("file: the path is empty")
			}
			return nil
		})
	}}}
}

func readyWhen(c *script.Call, name string, ptr any, fill func(*engine.Ready) error) (starlark.Value, error) {
	timeout := convert.Timeout{Duration: convert.Duration{D: readyTimeout}}
	if err := c.Unpack(name, ptr, "timeout?", &timeout); err != nil {
		return nil, err
	}
	r := &Ready{condition: engine.Ready{Timeout: timeout.D}}
	if err := fill(&r.condition); err != nil {
		return nil, err
	}
	r.text = fmt.Sprintf("%s(%v)", c.Name, r.value())
	return r, nil
}

// value is what the condition waits for.
func (r *Ready) value() any {
	switch {
	case r.condition.Port != 0:
		return r.condition.Port
	case r.condition.Pattern != "":
		return strconv.Quote(r.condition.Pattern)
	}
	return strconv.Quote(r.condition.File)
}

func checkPort(who string, number int) error {
	if number < 1 || number > 65535 {
		return fmt.Errorf("%s: for parameter number: got %d, want 1 to 65535", who, number)
	}
	return nil
}
