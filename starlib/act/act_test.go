package act

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"mpf/engine"
	"mpf/engine/enginetest"
)

// A cluster of a few hosts and one link.
type cluster map[string][]engine.HostInfo

func (c cluster) Hosts(role string) ([]engine.HostInfo, error) { return c[role], nil }
func (cluster) Link(name string) (engine.Link, error) {
	if name != "data" {
		return engine.Link{}, fmt.Errorf("no link %q in the cluster file", name)
	}
	return engine.Link{Name: name, Ends: [2]engine.LinkEnd{{Host: "n2", Interface: "eth1", Address: "10.0.0.2"}, {Host: "n3"}}}, nil
}

type quiet struct{ dir string }

func (quiet) Log(string)                                                     {}
func (quiet) Command(engine.Output)                                          {}
func (quiet) Span(string, time.Time, time.Duration, map[string]engine.Value) {}
func (q quiet) FilePath(name string) (string, error)                         { return filepath.Join(q.dir, name), nil }

// newTestContext is a ctx on this machine, as host n1 of role client.
func newTestContext(t *testing.T) *Context {
	t.Helper()
	host := enginetest.NewHost(t, "n1")
	room, err := host.Open(t.Context(), engine.Attempt{})
	if err != nil {
		t.Fatal(err)
	}
	rc := &engine.RunContext{
		Experiment: &engine.Experiment{Roles: []engine.Role{{Name: "client"}, {Name: "servers"}}},
		Role:       "client", Host: host.Info(), Workspace: room, Journal: quiet{t.TempDir()},
		Cluster: cluster{
			"client":  {{Name: "n1", Address: "10.0.0.1", Interfaces: map[string]string{"data": "192.168.0.1"}}},
			"servers": {{Name: "n2", Address: "10.0.0.2", Tags: []string{"nic"}}, {Name: "n3"}},
		},
	}
	return newContext(t.Context(), rc, t.TempDir())
}

// eval evaluates an expression in which ctx is c.
func eval(c *Context, expression string) (starlark.Value, error) {
	env := starlark.StringDict{"ctx": c}
	for _, b := range ReadyBuiltins() {
		env[b.Name()] = b
	}
	return starlark.EvalOptions(&syntax.FileOptions{}, &starlark.Thread{}, "x.star", expression, env)
}

func TestHostsAreFoundByRole(t *testing.T) {
	c := newTestContext(t)
	for _, x := range []struct{ expression, want string }{
		{`ctx.addr("client")`, `"10.0.0.1"`},
		{`ctx.addr("client", interface = "data")`, `"192.168.0.1"`},
		{`ctx.addr("client", interface = "eth9")`, `addr: host "n1" has no interface "eth9" (its interfaces: data)`},
		{`ctx.addr("servers")`, `addr: role "servers" is played by 2 hosts (write ctx.hosts(role)[i].address)`},
		{`ctx.addr("server")`, `addr: role "server" is not declared (did you mean "servers"?)`},
		{`ctx.addr(3)`, `addr: for parameter role: got int, want a role or its name`},
		{`[h.address for h in ctx.hosts("servers")]`, `["10.0.0.2", ""]`},
		{`ctx.hosts("servers")[0].tags`, `["nic"]`},
		{`ctx.hosts()[0].interfaces["data"]`, `"192.168.0.1"`},
		{`ctx.link("data")`, `link "data": neither end is on host "n1"`},
		{`ctx.link("x")`, `no link "x" in the cluster file`},
		{`ctx.link()`, `link: the step was declared without a link: write its name`},
		{`ctx.replicate`, `setup belongs to no run`},
		{`ctx.nothing`, `ctx has no .nothing field or method`},
		{`"run" in dir(ctx) and "stdout" in dir(ctx.run("true")) and dir(ctx.span("x")) == ["end"]`, "True"},
		{`dir(ctx.start("true"))`, `["stdout", "stop", "wait"]`},
		{`ctx.run("echo", 1, check = False).argv`, `["echo", "1"]`},
		{`[str(x) for x in [ctx, ctx.run("true"), ctx.start("true"), ctx.span("s"), port(1, timeout = 2)]]`,
			`["ctx", "command([\"true\"], code = 0)", "process([\"true\"])", "span(\"s\")", "port(1)"]`},
		{`pattern("(")`, `pattern: "(": error parsing regexp`},
		{`pattern("")`, `pattern: the pattern is empty`},
		{`file("")`, "file: the path is empty"},
		{`ctx.start("cat", ready = 5201)`, `start: for parameter "ready": got int 5201, want port(5201), pattern("listening") or file("server.sock")`},
		{`ctx.run("cat", stdin = 3)`, "run: for parameter stdin: got int, want string or bytes"},
		{`ctx.run("cat", stdin = b"x").stdout`, `"x"`},
		{`ctx.run("x", env = {"a b": 1})`, `run: environment variable "a b": names are written with a-z`},
		{`ctx.sh("x", a = [1])`, `sh: environment variable "a": got a list (join it: " ".join(words))`},
		{`ctx.sh("x", a = True)`, `sh: environment variable "a": got True: programs understand bools differently`},
		{`ctx.sh("echo $1", 3)`, `sh: got`},
		{`ctx.log(a = 1)`, "log: only positional arguments are taken"},
		{`ctx.span("x", f = len)`, `span "x": attribute "f": got builtin_function_or_method, want None`},
		{`ctx.barrier("x", 0)`, `barrier "x": n = 0, want at least 1`},
		{`ctx.write("f", b"x", mode = 0o1000)`, "write: for parameter mode: got 01000, want 0 to 0o777"},
		{`ctx.write("f", 3)`, "write: for parameter text: got int, want string or bytes"},
		{`ctx.read(ctx.write("f", b"x"))`, `"x"`},
		{`{ctx: 1}`, "unhashable: ctx"},
	} {
		got := ""
		v, err := eval(c, x.expression)
		if err != nil {
			got = err.Error()
		} else {
			got = v.String()
		}
		if !strings.HasPrefix(got, x.want) {
			t.Errorf("%s: got %s, want %s", x.expression, got, x.want)
		}
	}
}

func TestLocalFilesLieBesideTheExperiment(t *testing.T) {
	c := newTestContext(t)
	if err := os.WriteFile(filepath.Join(c.folder, "data.txt"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, expression := range []string{
		`ctx.read(ctx.put("data.txt"))`, `ctx.read(ctx.put("./data.txt", path = "other.txt"))`,
		`ctx.read(ctx.put("` + filepath.Join(c.folder, "data.txt") + `"))`,
	} {
		if v, err := eval(c, expression); err != nil || v != starlark.String("x") {
			t.Errorf("%s: %v, %v", expression, v, err)
		}
	}
	_, err := eval(c, `ctx.put("nowhere")`)
	failure := new(engine.Failure)
	if !errors.As(err, &failure) || failure.Cause != engine.CauseArtifact || !strings.HasPrefix(failure.Message, `put "nowhere": `) {
		t.Errorf("%v", err)
	}
}

func TestAMethodOfAStepThatIsOverDoesNothing(t *testing.T) {
	c := newTestContext(t)
	cause := errors.New("over")
	ctx, cancel := context.WithCancelCause(t.Context())
	c.ctx = ctx
	cancel(cause)
	if _, err := eval(c, `ctx.write("f", "x")`); !errors.Is(err, cause) {
		t.Errorf("got %v", err)
	}
}

func TestTheEndOfOutputIsQuoted(t *testing.T) {
	long := strings.Repeat("é", 400)
	for _, c := range []struct {
		stderr, stdout, want string
	}{
		{"", "", ""},
		{" \n", "out\n", `; stdout ends "out"`},
		{"a\nb\n", "out", `; stderr ends "a\nb"`},
		{"first\n" + strings.Repeat("x", 240) + "\nlast\n", "", `; stderr ends "last"`},
		{"\x1b[31mred", "", `; stderr ends "\x1b[31mred"`},
	} {
		got := lastWords(engine.Output{Stderr: engine.Stream{Data: []byte(c.stderr)}, Stdout: engine.Stream{Data: []byte(c.stdout)}})
		if got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
	if end := ending([]byte(long)); !utf8.ValidString(end) || len(end) > lastWordsSize {
		t.Errorf("%d bytes, valid: %v", len(end), utf8.ValidString(end))
	}
	if cut := clip(long, 61); cut != strings.Repeat("é", 30)+"..." {
		t.Error(cut)
	}
}

func TestHowCommandsEnd(t *testing.T) {
	command := engine.Command{Argv: []string{"iperf3"}, Timeout: time.Second}
	for _, c := range []struct {
		o      engine.Output
		status engine.Status
		cause  engine.Cause
	}{
		{engine.Output{}, "", ""},
		{engine.Output{Code: 1}, engine.Failed, engine.CauseExit},
		{engine.Output{Code: -1, Signal: "SIGSEGV"}, engine.Failed, engine.CauseSignal},
		{engine.Output{Code: -1, Signal: "SIGKILL", Stopped: true}, "", ""},
		{engine.Output{Code: -1, Signal: "SIGKILL", TimedOut: true}, engine.TimedOut, engine.CauseCommand},
	} {
		failure := new(engine.Failure)
		if err := judge(c.o, command); err != nil && !errors.As(err, &failure) {
			t.Errorf("%+v: %v", c.o, err)
		}
		if failure.Status != c.status || failure.Cause != c.cause {
			t.Errorf("%+v: %+v", c.o, failure)
		}
	}
}

func TestWhatIsNotWholeIsNotRead(t *testing.T) {
	o := &output{engine.Output{Argv: []string{"yes"}, Stdout: engine.Stream{Data: []byte("[1"), Size: 99, Truncated: true}}}
	for _, expression := range []string{"o.json()", "o.lines()", "o.stdout", "o.number('[0-9]+')", "o.number('x')"} {
		_, err := starlark.EvalOptions(&syntax.FileOptions{}, &starlark.Thread{}, "x.star", expression, starlark.StringDict{"o": o})
		if err == nil || !strings.Contains(err.Error(), "yes: stdout is truncated: 2 of 99 bytes were kept (let the program write to a file") {
			t.Errorf("%s: %v", expression, err)
		}
	}
}

// A number that is sure to be the first one may be read of what is there.
func TestANumberBeforeTheCutIsRead(t *testing.T) {
	o := &output{engine.Output{Argv: []string{"yes"}, Stdout: engine.Stream{Data: []byte("12 [12"), Size: 99, Truncated: true}}}
	v, err := starlark.EvalOptions(&syntax.FileOptions{}, &starlark.Thread{}, "x.star", "o.number('[0-9]+')", starlark.StringDict{"o": o})
	if err != nil || v.String() != "12" {
		t.Errorf("%v, %v", v, err)
	}
}

// An error of a host keeps the status that the host gave it.
func TestAnUnreachableHostStaysUnreachable(t *testing.T) {
	gone := &engine.Failure{Status: engine.Unreachable, Cause: engine.CauseLink, Message: "gone", Host: "n2"}
	if err := hostError(engine.CauseExit, "x", fmt.Errorf("while reading: %w", gone)); !errors.Is(err, gone) {
		t.Errorf("got %v", err)
	}
	got := failureOf(t.Context(), &engine.RunContext{Host: engine.HostInfo{Name: "n1"}}, &Function{Name: "f"}, fmt.Errorf("x: %w", gone))
	failure := new(engine.Failure)
	if !errors.As(got, &failure) || failure.Status != engine.Unreachable || failure.Host != "n2" || failure.Step != "f" {
		t.Errorf("%+v", failure)
	}
}
