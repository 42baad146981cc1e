package starlib

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"mpf/engine"
	"mpf/engine/enginetest"
)

func TestAStepRunsCommandsAndReturnsResults(t *testing.T) {
	s, results, err := runBody(t, `
out = ctx.run("echo", "a b", n, None, ["x", 1.5], stdin = "")
return {"words": out.stdout.strip(), "level": n, "none": None}`)
	if err != nil {
		t.Fatal(err)
	}
	want := engine.Results{{Name: "words", Value: "a b 2 x 1.5"}, {Name: "level", Value: int64(2)}, {Name: "none"}}
	for i, r := range results {
		if r != want[i] {
			t.Errorf("got %v, want %v", r, want[i])
		}
	}
	if len(results) != len(want) || len(s.page.commands) != 1 {
		t.Errorf("%v, %d commands", results, len(s.page.commands))
	}
}

func TestAFailedCommandFailsTheRun(t *testing.T) {
	_, _, err := runBody(t, `ctx.run("sh", "-c", "echo oh no >&2; exit 3")`)
	f := failureOf(t, err)
	if f.Status != engine.Failed || f.Cause != engine.CauseExit || f.Message != `sh: exit status 3; stderr ends "oh no"` {
		t.Errorf("%+v", f)
	}
	if len(f.Trace) != 1 || f.Trace[0].Line != 5 || f.Trace[0].Col != 12 || f.Step != "f" || f.Host != "h1" {
		t.Errorf("%+v", f)
	}
}

func TestFilesGoToHostsAndBack(t *testing.T) {
	s, results, err := runBody(t, `
ctx.write("a.txt", "hé\n")
ctx.run("cp", "a.txt", "b.txt")
return {"text": ctx.read("b.txt"), "file": ctx.get("b.txt")}`)
	if err != nil {
		t.Fatal(err)
	}
	fetched, err := os.ReadFile(filepath.Join(s.page.dir, "b.txt"))
	if err != nil || string(fetched) != "hé\n" || results[0].Value != "hé\n" || results[1].Value != "b.txt" {
		t.Errorf("%q %v %v", fetched, results, err)
	}
}

// Every way in which a step ends is one status and cause.
func TestEveryEndOfAStepHasAStatusAndACause(t *testing.T) {
	for _, c := range []struct {
		name, body string
		status     engine.Status
		cause      engine.Cause
		message    string
	}{
		{"exit", `ctx.run("false")`, engine.Failed, engine.CauseExit, "false: exit status 1"},
		{"missing", `ctx.run("no-such-program")`, engine.Failed, engine.CauseExit, "no-such-program"},
		{"sh", `ctx.sh("echo a; echo b >&2; exit 7")`, engine.Failed, engine.CauseExit, `sh "echo a; echo b >&2; exit 7": exit status 7; stderr ends "b"`},
		{"unset name", `ctx.sh("echo $" + "siz", size = 3)`, engine.Failed, engine.CauseExit, "(did you mean $size?)"},
		{"unset environment", `ctx.sh("echo $MPF_NOT_THERE")`, engine.Failed, engine.CauseExit, "(give it, as in ctx.sh(..., MPF_NOT_THERE = value), or write ${MPF_NOT_THERE:-} where it may be missing)"},
		{"timeout", `ctx.run("sleep", 60, timeout = "20ms")`, engine.TimedOut, engine.CauseCommand, "sleep: still running after 20ms"},
		{"division", `x = 1 // 0`, engine.Failed, engine.CauseScript, "floored division by zero"},
		{"fail", `ctx.fail("too\nbad")`, engine.Failed, engine.CauseAsked, "too; bad"},
		{"skip", `ctx.skip("no such kernel")`, engine.Skipped, engine.CauseAsked, "no such kernel"},
		{"universal fail", `fail("top")`, engine.Failed, engine.CauseScript, "fail: top"},
		{"no dict", `return 3`, engine.Failed, engine.CauseResultType, "f returned int, want None or a dict of results by name"},
		{"command", `return ctx.run("true")`, engine.Failed, engine.CauseResultType, "f returned command, want None or a dict"},
		{"reserved", `return {"status": 1}`, engine.Failed, engine.CauseResultType, `result "status": the name is reserved for a fixed column`},
		{"host column", `return {"Host_a": 1}`, engine.Failed, engine.CauseResultType, "reserved"},
		{"key", `return {1: 1}`, engine.Failed, engine.CauseResultType, "a result's name is int, want string"},
		{"function", `return {"x": len}`, engine.Failed, engine.CauseResultType, `result "x": got builtin_function_or_method, want None, bool, int`},
		{"big int", `return {"x": 1 << 63}`, engine.Failed, engine.CauseResultType, `result "x": integer does not fit in 64 bits`},
		{"not utf-8", `return {"x": "é"[:1]}`, engine.Failed, engine.CauseResultType, `result "x": text is not UTF-8`},
		{"long text", `return {"x": "a" * 70000}`, engine.Failed, engine.CauseResultType, "ctx.get"},
		{"nested", "x = []\nx.append(x)\nreturn {'x': x}", engine.Failed, engine.CauseResultType, "nested deeper"},
		{"no file", `ctx.read("nowhere")`, engine.Failed, engine.CauseArtifact, `read "nowhere"`},
		{"no file to get", `ctx.get("nowhere")`, engine.Failed, engine.CauseArtifact, `get "nowhere"`},
		{"get outside", `ctx.get("x", name = "../x")`, engine.Failed, engine.CauseScript, `name "../x" is not one in the run's folder`},
		{"bool word", `ctx.run("echo", True)`, engine.Failed, engine.CauseScript, "run: word 2: got True"},
		{"role word", `ctx.run("echo", r)`, engine.Failed, engine.CauseScript, "ctx.addr(role)"},
		{"no word", `ctx.run(None)`, engine.Failed, engine.CauseScript, "there is no program"},
		{"nul", `ctx.run("echo", "a\0b")`, engine.Failed, engine.CauseScript, "NUL"},
		{"keyword", `[ctx][0].run("echo", chek = False)`, engine.Failed, engine.CauseScript, `did you mean "check"?`},
		{"role", `ctx.addr("rr")`, engine.Failed, engine.CauseScript, `role "rr" is not declared (the roles: r)`},
		{"declaration", `struct(v = top2[0]).v("late", [1])`, engine.Failed, engine.CauseScript, "declarations are made while the file is loaded, not in a step"},
		{"role declaration", `[r][0].step(f)`, engine.Failed, engine.CauseScript, "declarations are made while the file is loaded"},
		{"frozen", `top.append(1)`, engine.Failed, engine.CauseScript, "top-level data is read-only during runs"},
		{"late barrier", `ctx.barrier("b", 2, timeout = "5ms")`, engine.TimedOut, engine.CauseCommand, `barrier "b": still waiting for 2 after 5ms`},
		{"late signal", `ctx.wait_for("s", timeout = "5ms")`, engine.TimedOut, engine.CauseCommand, `wait_for "s": no signal after 5ms`},
		{"no port", `ctx.wait_port(1, timeout = "5ms")`, engine.TimedOut, engine.CauseCommand, "wait_port 1: nothing listens after 5ms"},
		{"json", `ctx.run("echo", "x").json()`, engine.Failed, engine.CauseOutput, `echo: stdout is not JSON`},
		{"deep json", `json.decode("[" * 100000)`, engine.Failed, engine.CauseScript, "nested deeper than 1000"},
		{"number", `ctx.run("echo", "x").number("[0-9]+")`, engine.Failed, engine.CauseOutput, `echo: nothing in stdout matches "[0-9]+"; it ends "x"`},
		{"no number", `ctx.run("echo", "x").number("(.)")`, engine.Failed, engine.CauseOutput, `"(.)" found "x", which is no number`},
		{"wait", `ctx.start("sh", "-c", "exit 4").wait()`, engine.Failed, engine.CauseExit, "sh: exit status 4"},
		{"late process", `ctx.start("sleep", 60).wait(timeout = "5ms")`, engine.TimedOut, engine.CauseCommand, "sleep: still running after 5ms"},
		{"ended span", "s = ctx.span('x')\ns.end()\ns.end()", engine.Failed, engine.CauseScript, "ended already"},
		{"none", `x = None < 3`, engine.Failed, engine.CauseScript, "a variable is None in treatments where it does not exist"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, _, err := runTop(t, "top = []; top2 = [variable]\n", c.body)
			f := failureOf(t, err)
			if f.Status != c.status || f.Cause != c.cause || !strings.Contains(f.Message, c.message) || strings.Contains(f.Message, "\n") {
				t.Errorf("got %s/%s %q, want %s/%s %q", f.Status, f.Cause, f.Message, c.status, c.cause, c.message)
			}
			if f.Cause != engine.CauseResultType && (len(f.Trace) == 0 || f.Trace[0].Line < 6) {
				t.Errorf("trace: %v", f.Trace)
			}
		})
	}
}

// No value of a script is ever read by a shell as anything but a value.
func TestShellValuesArriveUnchanged(t *testing.T) {
	for _, v := range []string{
		"", " a  b ", "it's", `"quoted"`, "$HOME `id` $(id)", "a\nb", "\\n", "*", "; rm -rf /", "-n", "héllo €", "&& false", "\t",
	} {
		e := mustLoad(t, "experiment('x')\nflag('v', '')\nr = role('r')\nv = "+quoted(v)+`
def f(ctx):
    return {"a": ctx.sh('printf %s "$value" 2>&1', value = v).stdout, "b": ctx.run("printf", "%s", v).stdout,
        "c": ctx.sh('printf %s "[$value]"', value = None).stdout, "d": ctx.sh('cat', stdin = v).stdout,
        "e": ctx.sh('printf %s "$timeout"', env = {"timeout": v}).stdout}
r.step(f)
`)
		results, err := newStand(t, e).run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range []string{v, v, "[]", v, v} {
			if results[i].Value != want {
				t.Errorf("%s: got %q, want %q", results[i].Name, results[i].Value, want)
			}
		}
	}
}

func TestAStepSeesItsRun(t *testing.T) {
	e := mustLoad(t, `
experiment("x")
variable("a", {"one": struct(n = 7), "two": 2})
variable("b", ["p", "q"], when = {"a": "two"})
r = role("r")
def f(ctx, a, b, extra = 5):
    link = ctx.link("data")
    print("from", "print")
    ctx.log("x =", 3)
    ctx.span("open", size = 3)
    ctx.signal("go")
    ctx.wait_for("go")
    ctx.sleep(0)
    return {"an": a.n, "bn": b, "extra": extra, "ta": ctx.treatment["b"], "la": ctx.labels["a"], "lb": ctx.labels["b"],
        "rep": ctx.replicate, "id": len(ctx.run_id), "s": ctx.seed, "att": ctx.attempt, "role_": ctx.role,
        "rank_": ctx.rank, "far": link.far.host, "near": link.near.interface, "addr": ctx.addr(r), "hosts": [h.name for h in ctx.hosts()],
        "boot": ctx.host.name, "source": ctx.source, "dir": ctx.dir == ctx.run("pwd").stdout.strip()}
r.step(f)
`)
	s := newStand(t, e, 0, engine.Absent)
	results, err := s.run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, r := range results {
		got += r.Name + "=" + engine.FormatValue(r.Value) + " "
	}
	want := "an=7 bn=none extra=5 ta=none la=one lb=none rep=1 id=32 s=4611686018427387904 att=1 role_=r rank_=0 far=other near=lo " +
		"addr=127.0.0.1 hosts=[h1] boot=h1 source=none dir=true "
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if strings.Join(s.page.logs, "|") != "from print|x = 3" || strings.Join(s.page.spans, "") != "open" {
		t.Errorf("%q %q", s.page.logs, s.page.spans)
	}
}

func TestBackgroundProcessesAreStoppedAndReadFrom(t *testing.T) {
	s, results, err := runBody(t, `
p = ctx.start("sh", "-c", "echo up; exec sleep 60")
for i in range(500):
    if p.stdout() == "up\n":
        break
    ctx.sleep("5ms")
out = p.stop()
p.wait(check = False)
return {"text": out.stdout, "ok": p != None}`)
	if err != nil || results[0].Value != "up\n" || len(s.page.commands) != 1 || !s.page.commands[0].Background {
		t.Errorf("%v %v %d", results, err, len(s.page.commands))
	}
}

// What the context says wins over what a command says when it is cut off.
func TestAStepEndsWithItsContext(t *testing.T) {
	for _, body := range []string{`ctx.run("sleep", 60)`, `ctx.sleep(60)`, `ctx.barrier("b", 2)`, "for i in range(1 << 50):\n    pass"} {
		s := newStand(t, mustLoad(t, script1(body)), 1)
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		_, err := s.run(ctx)
		cancel()
		if f := failureOf(t, err); f.Status != engine.TimedOut || f.Cause != engine.CauseStep {
			t.Errorf("%s: %+v", body, f)
		}
		ctx, cancel = context.WithCancel(t.Context())
		cancel()
		_, err = s.run(ctx)
		if f := failureOf(t, err); f.Status != engine.Interrupted {
			t.Errorf("%s: %+v", body, f)
		}
	}
}

func TestSetupSeesNoRun(t *testing.T) {
	e := mustLoad(t, "experiment('x')\nvariable('n', [1])\nr = role('r')\nr.step(lambda ctx: None)\nr.setup(lambda ctx: ctx.treatment)\nr.cleanup(lambda ctx, n: {'a': n})\n")
	s := newStand(t, e, engine.Absent)
	s.rc.Run = engine.Run{Treatment: engine.Treatment{engine.Absent}}
	_, err := e.Roles[0].Setup[0].Do(t.Context(), s.rc)
	if f := failureOf(t, err); !strings.Contains(f.Message, "setup belongs to no run") {
		t.Errorf("%+v", f)
	}
	_, err = e.Roles[0].Cleanup[0].Do(t.Context(), s.rc)
	if f := failureOf(t, err); !strings.Contains(f.Message, "only steps give results") {
		t.Errorf("%+v", f)
	}
}

// Steps of one file share its values and nothing that changes.
func TestStepsRunAtOnce(t *testing.T) {
	e := mustLoad(t, "table = {str(i): i for i in range(100)}\n"+script1(`
x = [table[str(i % 100)] for i in range(2000)]
return {"sum": len(x), "n_": n}`))
	var group sync.WaitGroup
	for i := range 8 {
		s := newStand(t, e, i%2)
		group.Go(func() {
			results, err := s.run(context.Background())
			if err != nil || results[1].Value != int64(i%2+1) {
				t.Errorf("%v %v", results, err)
			}
		})
	}
	group.Wait()
}

func TestTheStarterRuns(t *testing.T) {
	enginetest.Need(t, "gzip")
	text, err := Starter("first")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Starter("erste Übung"); err == nil || !strings.Contains(err.Error(), `(write "erste_Uebung")`) {
		t.Errorf("a name that is none: %v", err)
	}
	e := mustLoad(t, text)
	results, err := newStand(t, e, 1, 0).run(t.Context())
	if err != nil || e.Name != "first" || len(results) != 2 || results[1].Value.(float64) > 0.1 {
		t.Errorf("%v %v", results, err)
	}
}
