package starlib

import (
	"testing"

	"mpf/engine"
	"mpf/engine/design"
	"mpf/engine/enginetest"
	"mpf/engine/execute"
)

// From a file to rows: several roles and hosts, steps at once that wait for each
// other, a role and a host that variables name, setup and cleanup.
func TestAFileBecomesRows(t *testing.T) {
	e := mustLoad(t, `
experiment("rows", seed = 3, replicates = 2, sample = False)
server, client = role("server"), role("client", count = 2)
variable("side", [server, client])
variable("place", ["a", "b"], names = "hosts")
variable("mode", ["plain", "bad", "skipped"])
variable("depth", [1, 2], when = {"mode": "plain"})
exclude(lambda place, mode, bad = "bad": place == "b" and mode == bad)
result("n", int)
lone = role("lone", hosts = "place")

def serve(ctx):
    ctx.write("out.txt", ctx.run_id)
    ctx.barrier("ready", 3, timeout = "20s")
    ctx.signal("go")
    return {"served": ctx.read("out.txt") == ctx.run_id}

def press(ctx, depth):
    ctx.barrier("ready", 3, timeout = "20s")
    ctx.wait_for("go", timeout = "20s")
    return {"n": ctx.rank + (depth or 0)}

def measure(ctx, mode):
    if mode == "bad":
        ctx.run("sh", "-c", "echo broken >&2; exit 9")
    if mode == "skipped":
        ctx.skip("not here")
    return {"lone_on": ctx.host.name}

together(server.step(serve), client.step(press, gather = "sum"))
lone.step(measure)
role_of("side").step(lambda ctx: {"on_" + ctx.role: len(ctx.hosts())} if ctx.rank == 0 else None, name = "named")
server.setup(lambda ctx: ctx.log("setup"))
client.cleanup(lambda ctx, mode: ctx.log(mode))
`)
	d, err := design.New(e)
	if err != nil {
		t.Fatal(err)
	}
	hosts := map[string]engine.Host{}
	for _, name := range []string{"a", "b", "c"} {
		hosts[name] = enginetest.NewHost(t, name)
	}
	ledger := enginetest.NewLedger(t)
	loop := &execute.Loop{Experiment: e, Design: d, Ledger: ledger, Groups: []execute.Group{{
		Name: "g", Hosts: hosts, Roles: map[string][]engine.Host{"server": {hosts["a"]}, "client": {hosts["b"], hosts["c"]}},
	}}}
	if err := loop.Execute(t.Context()); err != nil {
		t.Fatal(err)
	}
	// side x (place a: plain 1, plain 2, bad, skipped; place b: no bad) x replicates
	if d.Treatments() != 14 || len(ledger.Ends) != 28 {
		t.Fatalf("%d treatments, %d rows", d.Treatments(), len(ledger.Ends))
	}
	count := map[engine.Status]int{}
	for _, end := range ledger.Ends {
		count[end.Done.Status]++
		if end.Done.Status == engine.OK {
			checkRow(t, e, end.Start.Run, end.Done)
		}
		if end.Done.Status == engine.Failed && end.Done.Message != `sh: exit status 9; stderr ends "broken"` {
			t.Errorf("%+v", end.Done)
		}
	}
	if count[engine.OK] != 16 || count[engine.Failed] != 4 || count[engine.Skipped] != 8 {
		t.Errorf("%v", count)
	}
}

func checkRow(t *testing.T, e *engine.Experiment, run engine.Run, done engine.Done) {
	t.Helper()
	got := map[string]engine.Value{}
	for _, r := range done.Results {
		got[r.Name] = r.Value
	}
	// Ranks 0 and 1, and the depth on each of two hosts.
	if want := 1 + 2*run.Treatment.Value(e.Variables, 3).(int64); got["n"] != want || got["served"] != true {
		t.Errorf("%s: %v", run.Treatment.Format(e.Variables), got)
	}
	if got["lone_on"] != run.Treatment.Value(e.Variables, 1) {
		t.Errorf("%s: %v", run.Treatment.Format(e.Variables), got)
	}
	side, want := "on_server", int64(1)
	if run.Treatment[0] == 1 {
		side, want = "on_client", 2
	}
	if got[side] != want {
		t.Errorf("%s: %v", run.Treatment.Format(e.Variables), got)
	}
}
