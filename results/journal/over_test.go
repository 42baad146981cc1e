package journal

import (
	"math/rand/v2"
	"testing"

	"mpf/engine"
)

// What is over is kept in an index whatever order it came in, by plan, and
// whatever an index holds is refused rather than believed to be places.
func TestOverIsReadAsItWasWritten(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	written, in := overs{}, map[engine.PlaceRange]bool{}
	for range 5000 {
		s := &Started{Plan: 1 + random.IntN(2), Start: engine.Start{Run: engine.Run{Position: random.Int64N(1 << 13)}}}
		written.add(s)
		in[engine.PlaceRange{First: int64(s.Plan), End: s.Start.Run.Position}] = true
	}
	written.add(&Started{Plan: 1, Adopted: true, Start: engine.Start{Run: engine.Run{Position: 1 << 14}}})
	b := written.append(nil)
	read := overs{}
	must(t, read.read(b))
	for plan := 1; plan <= 2; plan++ {
		places := read.of(plan).places()
		for at := range int64(1<<14 + 1) {
			if want := in[engine.PlaceRange{First: int64(plan), End: at}]; places.Has(at) != want {
				t.Fatalf("plan %d, place %d: %v", plan, at, !want)
			}
		}
	}
	for cut := range len(b) {
		_ = overs{}.read(b[:cut]) // does not panic
	}
	if err := (overs{}).read([]byte{1, 1, 5, 0}); err == nil {
		t.Error("a range of no places is read")
	}
	if err := (overs{}).read([]byte{1, 2, 5}); err == nil {
		t.Error("a range that is cut is read")
	}
}
