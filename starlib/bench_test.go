package starlib

import (
	"os"
	"path/filepath"
	"testing"

	"go.starlark.net/starlark"

	"mpf/starlib/code"
)

const benchFile = `
experiment("iperf", replicates = 10)
variable("variant",   ["tcp", "mptcp"])
variable("scheduler", ["minrtt", "redundant"], when = {"variant": "mptcp"})
variable("parallel",  [1, 2, 4, 8])
variable("zerocopy",  {"off": None, "on": "-Z"})
exclude(lambda variant, parallel: variant == "mptcp" and parallel > 4)
result("goodput", float, unit = "bit/s", better = "higher")
server = role("server")
client = role("client")
def serve(ctx):
    ctx.start("iperf3", "-s", ready = port(5201))
def measure(ctx, variant, scheduler, parallel, zerocopy):
    out = ctx.run("iperf3", "-J", "-t", 2, "-P", parallel, zerocopy, "-c", ctx.addr(server))
    return {"goodput": out.json()["end"]["sum_received"]["bits_per_second"]}
server.step(serve)
client.step(measure)
`

// A load costs little more than what the library needs to compile the file.
func BenchmarkLoad(b *testing.B) {
	path := filepath.Join(b.TempDir(), "a.star")
	if err := os.WriteFile(path, []byte(benchFile), 0o600); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := Load(b.Context(), path, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

// A step that does nothing, against a bare call of the library.
func BenchmarkStep(b *testing.B) {
	e := mustLoad(b, "experiment('x')\nvariable('n', [1])\nr = role('r')\nr.step(lambda ctx, n: {'y': n})\n")
	s := newStand(b, e, 0)
	b.Run("step", func(b *testing.B) {
		for b.Loop() {
			if _, err := s.run(b.Context()); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("library", func(b *testing.B) {
		globals, err := starlark.ExecFileOptions(code.Dialect(), &starlark.Thread{}, "x.star", "f = lambda ctx, n: {'y': n}", nil)
		if err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			if _, err := starlark.Call(&starlark.Thread{}, globals["f"], starlark.Tuple{starlark.None, starlark.MakeInt(1)}, nil); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkPredicate(b *testing.B) {
	e := mustLoad(b, benchFile)
	x := e.Exclusions[0]
	values := []any{"mptcp", int64(8)}
	for b.Loop() {
		if out, err := x.Excludes(values); !out || err != nil {
			b.Fatal(err)
		}
	}
}
