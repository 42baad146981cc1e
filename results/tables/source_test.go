package tables

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"testing"
	"time"

	"mpf/engine"
	"mpf/results/fsys"
	"mpf/results/fsys/fsystest"
	"mpf/results/record"
)

// campaign is a record in memory.
type campaign struct {
	plans    []record.Plan
	attempts []*record.Attempt
}

func (c *campaign) Plans() []record.Plan { return c.plans }

func (c *campaign) AttemptDir(run engine.RunID, attempt int) string {
	return fmt.Sprintf("runs/%s/%d", run, attempt)
}

func (c *campaign) Attempts() iter.Seq2[*record.Attempt, error] { return c.AttemptsAfter(0) }

func (c *campaign) AttemptsAfter(n int64) iter.Seq2[*record.Attempt, error] {
	return func(yield func(*record.Attempt, error) bool) {
		for _, a := range c.attempts[n:] {
			if !yield(a, nil) {
				return
			}
		}
	}
}

func iperf() engine.Experiment {
	return engine.Experiment{
		Name: "iperf", Seed: 42, Replicates: 3, Order: engine.Randomised,
		Variables: []engine.Variable{
			{Name: "variant", Levels: []engine.Level{{Label: "tcp", Value: "tcp"}, {Label: "mptcp", Value: "mptcp"}}},
			{Name: "scheduler", Levels: []engine.Level{{Label: "minrtt", Value: "minrtt"}, {Label: "redundant", Value: "redundant"}}, When: []engine.Condition{{Variable: 0, Levels: []int{1}}}},
			{Name: "parallel", Unit: "streams", Levels: []engine.Level{{Label: "1", Value: int64(1)}, {Label: "2", Value: int64(2)}}},
			{Name: "zerocopy", Levels: []engine.Level{{Label: "off", Value: nil}, {Label: "on", Value: "-Z"}}},
		},
		Results:  []engine.ResultColumn{{Name: "goodput", Type: engine.Float, Unit: "bit/s", Better: "higher", Description: "received"}},
		Roles:    []engine.Role{{Name: "server"}, {Name: "client"}},
		Sources:  []engine.Source{{Path: "iperf.star", SHA256: "00", Content: "experiment(\"iperf\")\n"}},
		Sampling: engine.Sampling{Off: true},
	}
}

// newCampaign has a run for every treatment and replicate, in design order.
func newCampaign(replicates int) *campaign {
	e := iperf()
	e.Replicates = replicates
	c := &campaign{plans: []record.Plan{{Number: 1, Reason: "new", MPF: "test", Experiment: e, Treatments: 12, Runs: int64(12 * replicates), Cluster: "hosts: {}\n", SHA256: "ab"}}}
	id := engine.NewIdentifier(e.Name, e.Seed, e.Variables)
	var treatments []engine.Treatment
	for p := range 2 {
		for z := range 2 {
			treatments = append(treatments, engine.Treatment{0, engine.Absent, p, z}, engine.Treatment{1, 0, p, z}, engine.Treatment{1, 1, p, z})
		}
	}
	for replicate := 1; replicate <= replicates; replicate++ {
		for i, t := range treatments {
			position := int64((replicate-1)*len(treatments) + i)
			run := engine.Run{ID: id.Identify(t, replicate), Treatment: t, Rank: uint64(i), Replicate: replicate, Block: replicate, Position: position}
			c.attempts = append(c.attempts, attempt(run, int64(len(c.attempts)+1)))
		}
	}
	return c
}

// attempt is an ok attempt whose numbers depend on the run alone.
func attempt(run engine.Run, sequence int64) *record.Attempt {
	r := rand.New(rand.NewPCG(uint64(run.Position), 1))
	wall := time.Unix(1_795_000_000, 0).Add(time.Duration(run.Position)*1012*time.Millisecond + time.Duration(r.IntN(2000))*time.Microsecond)
	seconds := 1 + float64(r.IntN(5_000_000))/1e9
	return &record.Attempt{
		Sequence: sequence, Plan: 1, Invocation: 1,
		Start: engine.Start{
			Run: run, Attempt: 1, Wall: wall,
			Hosts: []engine.RoleHost{{Role: "server", Host: "node1", BootID: "b1"}, {Role: "client", Host: "node2", BootID: "b2"}},
		},
		Done: engine.Done{
			Status: engine.OK, Wall: wall.Add(time.Second), Seconds: seconds, Gap: 0.01,
			Results: engine.Results{{Name: "goodput", Value: 9e8 + float64(r.IntN(1e7))}, {Name: "retransmits", Value: int64(r.IntN(100))}},
		},
	}
}

// shuffled returns the same attempts as they would be had they ended in
// another order.
func (c *campaign) shuffled(seed uint64) *campaign {
	s := &campaign{plans: c.plans, attempts: append([]*record.Attempt(nil), c.attempts...)}
	rand.New(rand.NewPCG(seed, 2)).Shuffle(len(s.attempts), func(a, b int) {
		s.attempts[a], s.attempts[b] = s.attempts[b], s.attempts[a]
	})
	return s
}

func memory(t testing.TB) *fsystest.Memory {
	t.Helper()
	tree := fsystest.NewMemory()
	if err := fsys.MakeDir(tree, fsys.TempDir); err != nil {
		t.Fatal(err)
	}
	return tree
}

func disk(t testing.TB) fsys.FS {
	t.Helper()
	tree, err := fsys.OpenDir(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tree.Close() })
	if err := fsys.MakeDir(tree, fsys.TempDir); err != nil {
		t.Fatal(err)
	}
	return tree
}

func published(t testing.TB, tree fsys.FS, name string) []byte {
	t.Helper()
	data, err := fsys.ReadFile(tree, name, 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
