package tables

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"syscall"
	"testing"
	"time"

	"mpf/engine"
	"mpf/results/fsys"
	"mpf/results/fsys/fsystest"
	"mpf/results/record"
)

// following is a campaign that counts which of its attempts are asked for.
type following struct {
	*campaign
	walked int
}

func (f *following) Attempts() iter.Seq2[*record.Attempt, error] { return f.AttemptsAfter(0) }

func (f *following) AttemptsAfter(n int64) iter.Seq2[*record.Attempt, error] {
	return func(yield func(*record.Attempt, error) bool) {
		for a, err := range f.campaign.AttemptsAfter(n) {
			f.walked++
			if !yield(a, err) {
				return
			}
		}
	}
}

// varied is a campaign whose attempts end in every way: retried and failed ones,
// late columns, types that join and types that do not.
func varied(t *testing.T, tree fsys.FS, replicates int) *campaign {
	t.Helper()
	c := newCampaign(replicates)
	var all []*record.Attempt
	for i, a := range c.attempts {
		rows := engine.Results{{Name: "goodput", Value: float64(i) / 3}, {Name: "later_float", Value: int64(i)}, {Name: "later_mixed", Value: int64(1<<53 + i)}}
		if i > len(c.attempts)/2 {
			rows[1].Value, rows[2].Value = 0.5, 0.25
			rows = append(rows, engine.NamedValue{Name: "late", Value: []engine.Value{int64(i), "x"}}, engine.NamedValue{Name: fmt.Sprint("of ", i%5), Value: true})
		}
		a.Done.Results = rows
		a.Done.Steps = []engine.StepRecord{{Step: "measure", Role: "client", Host: "node2", Status: engine.OK, Start: a.Start.Wall, Seconds: float64(i)}}
		a.Start.Nonce = fmt.Sprint("nonce ", i)
		if i%6 == 0 {
			failed := *a
			failed.Done.Status, failed.Done.Cause, failed.Start.Nonce = engine.Failed, engine.CauseExit, fmt.Sprint("failed ", i)
			all = append(all, &failed)
			again := *a
			again.Start.Attempt = 2
			a = &again
		}
		if i%13 == 5 {
			a.Done.Status, a.Done.Results = engine.Unreachable, nil
		}
		all = append(all, a)
	}
	c.attempts = all
	for i, a := range c.attempts {
		a.Sequence = int64(i + 1)
	}
	sampled(t, tree, c, 3, time.Second)
	return c
}

// TestTablesThatAreGoneOnFromAreThoseOfOnePublisher publishes part of a campaign
// and lets another publisher go on, as after the death of mpf.
func TestTablesThatAreGoneOnFromAreThoseOfOnePublisher(t *testing.T) {
	const replicates = 6
	tree := memory(t)
	c := varied(t, tree, replicates)
	all := c.attempts
	if _, err := Publish(context.Background(), c, tree, Options{MPF: "1"}); err != nil {
		t.Fatal(err)
	}
	names := []string{RunsFile, StepsFile, UsageFile, SamplesFile}
	want := map[string][]byte{}
	for _, name := range names {
		want[name] = published(t, tree, name)
	}
	for cut := 1; cut < len(all); cut += 19 {
		src := &following{campaign: c}
		for _, end := range []int{cut, min(cut+5, len(all)), len(all)} {
			c.attempts = all[:end]
			src.walked = 0
			p := NewPublisher(tree, Options{MPF: "1", GoOn: true})
			if _, err := p.Publish(context.Background(), src, end == len(all)); err != nil {
				t.Fatal(err)
			}
			if p.Report().Sequence != int64(end) {
				t.Errorf("covers %d of %d", p.Report().Sequence, end)
			}
		}
		for _, name := range names {
			if !bytes.Equal(published(t, tree, name), want[name]) {
				t.Fatalf("cut at %d: %s has other bytes", cut, name)
			}
		}
		if err := tree.Remove(MarkFile); err != nil {
			t.Fatal(err)
		}
	}
}

func TestOnlyWhatIsNewIsDerivedAgain(t *testing.T) {
	tree := memory(t)
	c := newCampaign(20)
	for i, a := range c.attempts {
		a.Start.Nonce = fmt.Sprint(i)
	}
	src := &following{campaign: c}
	walkedBy := func() int {
		src.walked = 0
		p := NewPublisher(tree, Options{MPF: "1", GoOn: true})
		if _, err := p.Publish(context.Background(), src, true); err != nil {
			t.Fatal(err)
		}
		return src.walked
	}
	all := c.attempts
	c.attempts = all[:len(all)-3]
	if n := walkedBy(); n != len(all)-3 {
		t.Errorf("at first %d attempts were read", n)
	}
	c.attempts = all
	if n := walkedBy(); n != 1+3 { // the last that is known, and the new ones
		t.Errorf("then %d attempts were read", n)
	}
	for what, spoil := range map[string]func(){
		"another record":     func() { all[len(all)-1].Start.Nonce = "another" },
		"a changed table":    func() { flip(t, tree, StepsFile) },
		"a changed mark":     func() { flip(t, tree, MarkFile) },
		"a mark that is cut": func() { rewrite(t, tree, MarkFile, published(t, tree, MarkFile)[:10]) },
		"no mark":            func() { rewrite(t, tree, MarkFile, nil) },
		"another plan":       func() { c.plans[0].SHA256 = "cd" },
	} {
		spoil()
		if n := walkedBy(); n < len(all) {
			t.Errorf("%s: only %d attempts were read", what, n)
		}
		if n := walkedBy(); n != 1 {
			t.Errorf("after %s: %d attempts were read", what, n)
		}
	}
}

func flip(t *testing.T, tree *fsystest.Memory, name string) {
	t.Helper()
	data := bytes.Clone(published(t, tree, name))
	data[len(data)/2] ^= 4
	rewrite(t, tree, name, data)
}

func rewrite(t *testing.T, tree *fsystest.Memory, name string, data []byte) {
	t.Helper()
	if err := fsys.WriteFile(tree, name, data); err != nil {
		t.Fatal(err)
	}
}

// Whatever fails while tables and mark are replaced, and though all that was not
// synced is lost then, the next publisher makes what one alone would have made.
func TestGoingOnAfterAnyFailure(t *testing.T) {
	c := newCampaign(2)
	for i, a := range c.attempts {
		a.Start.Nonce = fmt.Sprint(i)
	}
	all := c.attempts
	want := memory(t)
	if _, err := Publish(context.Background(), c, want, Options{}); err != nil {
		t.Fatal(err)
	}
	c.attempts = all[:15]
	before := memory(t)
	if _, err := NewPublisher(before, Options{GoOn: true}).Publish(context.Background(), c, false); err != nil {
		t.Fatal(err)
	}
	c.attempts = all
	for k, hit := 1, true; hit; k++ {
		tree := before.Crash()
		faults := fsystest.NewFaults(tree, fsystest.Fault{At: k, Err: syscall.EIO})
		_, _ = NewPublisher(faults, Options{GoOn: true}).Publish(context.Background(), c, true) // it may well fail
		hit = faults.Hit()
		tree = tree.Crash()
		if err := fsys.MakeDir(tree, fsys.TempDir); err != nil {
			t.Fatal(err)
		}
		if _, err := NewPublisher(tree, Options{GoOn: true}).Publish(context.Background(), c, true); err != nil {
			t.Fatalf("after operation %d failed: %v", k, err)
		}
		for _, name := range []string{RunsFile, StepsFile, UsageFile} {
			if !bytes.Equal(published(t, tree, name), published(t, want, name)) {
				t.Errorf("after operation %d failed: %s has other bytes", k, name)
			}
		}
	}
}
