package design

import (
	"testing"

	"mpf/engine"
)

// FuzzRestrict: whatever is asked for, the answer is an error or runs of the
// whole design in their order.
func FuzzRestrict(f *testing.F) {
	f.Add("variant=tcp", "parallel=1,2,zerocopy=on", uint64(3), 1, 2, int64(5))
	f.Add("variant", "=", uint64(0), 0, 0, int64(-1))
	f.Add("a,b=[1,2],x=", "b=[1,2]", uint64(99), 3, 2, int64(0))
	e := goodput()
	e.Variables = append(e.Variables, engine.Variable{Name: "b", Levels: []engine.Level{
		{Label: "[1,2]"}, {Label: "[1"}, {Label: "2]"}, {Label: "x=y"}, {Label: ""}}})
	d := must(f, e)
	f.Fuzz(func(t *testing.T, one, two string, sample uint64, number, of int, limit int64) {
		part, err := d.Restrict(Restriction{Only: []string{one, two}, Sample: sample, Shard: Shard{number, of}, Limit: limit})
		if err != nil {
			return
		}
		var last, runs int64 = -1, 0
		for b := range part.Blocks() {
			for run := range part.Block(b + 1) {
				if run.Position <= last || run.ID != d.Run(run.Position).ID {
					t.Fatalf("%+v after %d", run, last)
				}
				last, runs = run.Position, runs+1
			}
		}
		if runs != part.Runs() {
			t.Fatalf("%d runs, want %d", runs, part.Runs())
		}
	})
}
