package act

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"go.starlark.net/starlark"

	"mpf/engine"
	"mpf/engine/spelling"
	"mpf/starlib/convert"
	"mpf/starlib/script"
)

const commandChecks = "words are strings, ints, floats or lists of these, whose items are words of their own; None vanishes; bools are refused"

func commandMethods() []method {
	return []method{{
		script.Doc{
			Signature: `ctx.run(*argv, stdin = None, env = None, cwd = None, timeout = None, check = True, sudo = False)`,
			Text:      "Executes a program on this host without a shell, waits for it, and returns a command.",
			When:      "in steps, setup and cleanup",
			Checks:    commandChecks + "; an exit status other than 0, a signal or a timeout fails the run unless check is False",
			Error:     "`iperf3: exit status 1; stderr ends \"unable to connect: Connection refused\"`",
		}, (*Context).run}, {
		script.Doc{
			Signature: `ctx.sh(script, stdin = None, env = None, cwd = None, timeout = None, check = True, sudo = False, **values)`,
			Text:      "Executes a script of `sh -u` on this host; each further value is an environment variable of its name, so that `\"$name\"` stands for it and nothing is pasted into the script.",
			When:      "in steps, setup and cleanup",
			Checks:    "values are strings, ints or floats; None is an empty text; a name that is neither given nor set is an error, unless written as `${name:-}`; a value named like an option is given by env",
			Error:     "`sh \"cd /nowhere\": exit status 2; stderr ends \"cd: can't cd to /nowhere\"`",
		}, (*Context).sh}, {
		script.Doc{
			Signature: `ctx.start(*argv, ready = None, stdin = None, env = None, cwd = None, sudo = False)`,
			Text:      "Starts a program in the background, waits until it is ready, and returns a process; it is stopped at the run's end.",
			When:      "in steps, setup and cleanup",
			Checks:    commandChecks + "; ready is port(...), pattern(...) or file(...), or None: ready at once",
			Error:     "`iperf3: not ready: nothing listens on port 5201`",
		}, (*Context).start},
	}
}

// options are the keyword arguments that commands share.
type options struct {
	stdin   starlark.Value
	env     *starlark.Dict
	cwd     convert.Text
	timeout convert.Timeout
	check   bool
	sudo    bool
}

func (o *options) pairs() []any {
	o.check = true
	return []any{"stdin??", &o.stdin, "env??", &o.env, "cwd??", &o.cwd, "timeout??", &o.timeout, "check?", &o.check, "sudo?", &o.sudo}
}

func (o *options) command(argv []string) (engine.Command, error) {
	c := engine.Command{Argv: argv, Dir: string(o.cwd), Timeout: o.timeout.D, Sudo: o.sudo}
	switch stdin := o.stdin.(type) {
	case nil:
	case starlark.String:
		c.Stdin = []byte(stdin)
	case starlark.Bytes:
		c.Stdin = []byte(stdin)
	default:
		return c, fmt.Errorf("for parameter stdin: got %s, want string or bytes", stdin.Type())
	}
	if o.env != nil {
		env, err := environment(o.env.Items())
		if err != nil {
			return c, err
		}
		c.Env = env
	}
	return c, nil
}

func (c *Context) run(call *script.Call) (starlark.Value, error) {
	var o options
	command, err := argvCommand(call, &o, o.pairs())
	if err != nil {
		return nil, err
	}
	return c.execute(command, o.check)
}

// argvCommand unpacks a call whose positional arguments are words.
func argvCommand(call *script.Call, o *options, pairs []any) (engine.Command, error) {
	keywords := script.Call{Thread: call.Thread, Name: call.Name, Kwargs: call.Kwargs}
	if err := keywords.Unpack(pairs...); err != nil {
		return engine.Command{}, err
	}
	argv, err := words(call.Args)
	if err != nil {
		return engine.Command{}, fmt.Errorf("%s: %w", call.Name, err)
	}
	command, err := o.command(argv)
	if err != nil {
		return command, fmt.Errorf("%s: %w", call.Name, err)
	}
	return command, nil
}

func (c *Context) sh(call *script.Call) (starlark.Value, error) {
	var o options
	var text string
	pairs := append([]any{"script", &text}, o.pairs()...)
	own, values := splitKeywords(call.Kwargs, pairs)
	inner := script.Call{Thread: call.Thread, Name: call.Name, Args: call.Args, Kwargs: own}
	if err := inner.Unpack(pairs...); err != nil {
		return nil, err
	}
	if len(call.Args) > 1 {
		return nil, script.Problemf("sh: got %d positional arguments, want the script alone", len(call.Args)).
			Mend(`give values by name: ctx.sh("echo $size", size = 3)`)
	}
	command, err := o.command([]string{"sh", "-u", "-c", text})
	if err != nil {
		return nil, fmt.Errorf("sh: %w", err)
	}
	env, err := environment(noneAsEmpty(values))
	if err != nil {
		return nil, fmt.Errorf("sh: %w", err)
	}
	command.Env = append(command.Env, env...)
	command.Name = fmt.Sprintf("sh %q", clip(firstLine(text), 60))
	out, err := c.execute(command, o.check)
	return out, explainUnset(err, values)
}

// noneAsEmpty gives the names whose value is None an empty text: a script may
// expand them.
func noneAsEmpty(values []starlark.Tuple) []starlark.Tuple {
	texts := make([]starlark.Tuple, len(values))
	for i, kv := range values {
		texts[i] = kv
		if kv[1] == starlark.None {
			texts[i] = starlark.Tuple{kv[0], starlark.String("")}
		}
	}
	return texts
}

// explainUnset adds what mends it to the failure of a script that expanded a
// name without a value.
func explainUnset(err error, values []starlark.Tuple) error {
	var failure *engine.Failure
	if !errors.As(err, &failure) || failure.Cause != engine.CauseExit {
		return err
	}
	found := regexp.MustCompile(`(\w+): (?:parameter not set|unbound variable)`).FindStringSubmatch(failure.Message)
	if found == nil {
		return err
	}
	var names []string
	for _, kv := range values {
		names = append(names, string(kv[0].(starlark.String)))
	}
	own := *failure
	own.Message += fmt.Sprintf(" (give it, as in ctx.sh(..., %s = value), or write ${%s:-} where it may be missing)", found[1], found[1])
	if near := spelling.Nearest(found[1], names); near != "" {
		own.Message = fmt.Sprintf("%s (did you mean $%s?)", failure.Message, near)
	}
	return &own
}

// splitKeywords parts the keyword arguments that pairs name from the others.
func splitKeywords(kwargs []starlark.Tuple, pairs []any) (own, others []starlark.Tuple) {
next:
	for _, kv := range kwargs {
		for i := 0; i < len(pairs); i += 2 {
			if strings.TrimRight(pairs[i].(string), "?") == string(kv[0].(starlark.String)) {
				own = append(own, kv)
				continue next
			}
		}
		others = append(others, kv)
	}
	return own, others
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}

func (c *Context) execute(command engine.Command, check bool) (starlark.Value, error) {
	out, err := c.rc.Workspace.Run(c.ctx, command)
	if err != nil {
		return nil, hostError(engine.CauseExit, commandName(command), err)
	}
	return c.finished(command, out, check)
}

// finished records how a command ended and judges it.
func (c *Context) finished(command engine.Command, out engine.Output, check bool) (starlark.Value, error) {
	c.rc.Journal.Command(out)
	if err := context.Cause(c.ctx); err != nil {
		return nil, err
	}
	if check {
		if err := judge(out, command); err != nil {
			return nil, err
		}
	}
	return &output{out}, nil
}

func (c *Context) start(call *script.Call) (starlark.Value, error) {
	var o options
	var ready condition
	pairs := []any{"ready??", &ready, "stdin??", &o.stdin, "env??", &o.env, "cwd??", &o.cwd, "sudo?", &o.sudo}
	command, err := argvCommand(call, &o, pairs)
	if err != nil {
		return nil, err
	}
	p, err := c.rc.Workspace.Start(c.ctx, command, ready.until)
	if err != nil {
		return nil, hostError(engine.CauseExit, commandName(command), err)
	}
	return &process{c: c, command: command, p: p}, nil
}
