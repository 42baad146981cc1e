package campaign

import (
	"testing"

	"mpf/engine"
)

// What is over is told by place for the plan in force alone: another plan may
// have another run there. What is learnt beside is kept.
func TestOverIsOfThePlanInForce(t *testing.T) {
	dir := t.TempDir() + "/c"
	plan := testPlan(6, 1)
	c, err := Create(dir, plan, nil, testConfig())
	must(t, err)
	runs := runsOf(plan)
	for _, run := range runs[:4] {
		must(t, execute(c, run))
	}
	must(t, c.Close())
	c, err = Open(dir, testConfig())
	must(t, err)
	if over := c.Over(); !over.HasAll(engine.PlaceRange{First: 0, End: 4}) || over.Has(4) {
		t.Errorf("over is %v", over)
	}
	must(t, c.Extend(testPlan(6, 2), "extend"))
	if over := c.Over(); !over.Empty() {
		t.Errorf("under another plan %v are over", over)
	}
	must(t, execute(c, runs[5]))
	c.Learn(engine.NewPlaces([]engine.PlaceRange{{First: 0, End: 3}})) // as a look at each has shown
	must(t, c.Close())
	c, err = Open(dir, testConfig())
	must(t, err)
	if over := c.Over(); over.Size() != 4 || !over.HasAll(engine.PlaceRange{First: 0, End: 3}) || !over.Has(5) {
		t.Errorf("over is %v", over)
	}
	if n := c.Count()[engine.OK]; n != 5 {
		t.Errorf("%d rows are ok", n)
	}
	must(t, c.Close())
}
