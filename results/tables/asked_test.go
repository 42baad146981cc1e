package tables

import (
	"context"
	"fmt"
	"testing"
	"time"

	"mpf/engine"
)

// How a host was to be watched is the attempt's to say: invocations and roles
// differ. What it says nothing of is the plan's.
func TestHostsAreMeasuredAsTheyWereWatched(t *testing.T) {
	tree, c := memory(t), newCampaign(1)
	sampled(t, tree, c, 4, time.Second)
	e := &c.plans[0].Experiment
	e.Roles[0].Sampling = &engine.Sampling{Period: 3 * time.Second, Cap: 10}
	hosts := c.attempts[0].Done.Hosts
	hosts[0].Roles, hosts[1].Roles = []string{e.Roles[0].Name}, []string{e.Roles[0].Name}
	hosts[1].Sampling = &engine.Sampling{Period: time.Second}
	if _, err := Publish(context.Background(), c, tree, Options{}); err != nil {
		t.Fatal(err)
	}
	u := load(t, tree, UsageFile)
	for row, want := range [][3]engine.Value{{3.0, int64(10), int64(2)}, {1.0, int64(1000), int64(3)}} {
		if got := [3]engine.Value{cell(t, u, row, "period_s"), cell(t, u, row, "series_cap"), cell(t, u, row, "n_samples")}; got != want {
			t.Errorf("row %d: period, cap and samples are %v, want %v", row, got, want)
		}
	}
}

// A role or an invocation that is not watched is no reason to warn.
func TestHostsThatWereNotToBeWatchedAreNotWarnedOf(t *testing.T) {
	off := engine.Sampling{Off: true}
	c := newCampaign(1)
	e := &c.plans[0].Experiment
	e.Sampling = engine.Sampling{}
	e.Roles[0].Sampling = &off
	c.attempts[0].Done.Hosts = []engine.HostRecord{
		{Host: "node1", Roles: []string{e.Roles[0].Name}},
		{Host: "node2", Roles: []string{e.Roles[1].Name}, Sampling: &off},
		{Host: "node3", Roles: []string{e.Roles[1].Name}},
	}
	tree, _ := publish(t, c, Options{})
	u := load(t, tree, UsageFile)
	for row, warned := range []bool{false, false, true} {
		if (cell(t, u, row, "warnings") != nil) != warned || (cell(t, u, row, "period_s") != nil) != warned || cell(t, u, row, "n_cpus") != nil {
			t.Errorf("row %d: warnings %v, period %v, CPUs %v", row, cell(t, u, row, "warnings"), cell(t, u, row, "period_s"), cell(t, u, row, "n_cpus"))
		}
	}
}

// What a sampler did that was lost is not known; what it saw is kept, and until
// when.
func TestSamplersThatWereLostSayUntilWhenTheySaw(t *testing.T) {
	tree, c := memory(t), newCampaign(1)
	sampled(t, tree, c, 4, time.Second)
	c.attempts[0].Done.Hosts[1].Ended = engine.Closing{}
	if _, err := Publish(context.Background(), c, tree, Options{}); err != nil {
		t.Fatal(err)
	}
	u := load(t, tree, UsageFile)
	last := c.attempts[0].Start.Wall.Add(4 * time.Second).UTC().Format("2006-01-02T15:04:05.000Z")
	warning := fmt.Sprintf("[the sampler was lost: its last reading is of %s]", last)
	if got := fmt.Sprint(cell(t, u, 1, "warnings")); got != warning || cell(t, u, 1, "n_samples") != int64(3) {
		t.Errorf("warnings %s, want %s; %v samples", got, warning, cell(t, u, 1, "n_samples"))
	}
	for _, name := range []string{"sampler_cpu_s", "sampler_bytes", "missed"} {
		if cell(t, u, 1, name) != nil || cell(t, u, 0, name) == nil {
			t.Errorf("%s is %v; of the sampler that was not lost %v", name, cell(t, u, 1, name), cell(t, u, 0, name))
		}
	}
}
