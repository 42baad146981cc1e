package design

import (
	"fmt"
	"iter"

	"mpf/engine"
)

// A Recorded run is one that a campaign has a row of, with the variables of the
// plan under which it ran.
type Recorded struct {
	Variables []engine.Variable
	Run       engine.Run
}

// A Difference says what a design means for a campaign that has begun.
type Difference struct {
	Kept     int64    // runs of the design that the campaign has
	New      int64    // runs of the design that it does not have
	Orphaned []Orphan // runs that it has and the design does not
}

// An Orphan is a recorded run that the design does not have.
type Orphan struct {
	ID        engine.RunID
	Words     string // its treatment, in the variables of its own plan
	Replicate int
	Why       string
}

// Compare finds which of the recorded runs the design has. A run may come
// several times, one for each attempt; it counts once.
func (d *Design) Compare(recorded iter.Seq[Recorded]) Difference {
	var diff Difference
	seen := map[engine.RunID]bool{}
	var tr *translator
	for r := range recorded {
		if seen[r.Run.ID] {
			continue
		}
		seen[r.Run.ID] = true
		if tr == nil || !sameSlice(tr.from, r.Variables) {
			tr = newTranslator(r.Variables, d.experiment.Variables)
		}
		run, why := d.match(tr, r.Run)
		switch {
		case why != "":
			diff.Orphaned = append(diff.Orphaned, Orphan{r.Run.ID, r.Run.Treatment.Format(r.Variables), r.Run.Replicate, why})
		case d.Contains(run):
			diff.Kept++
		}
	}
	diff.New = d.Runs() - diff.Kept
	return diff
}

// Holder returns a function that reports whether the design has a recorded run.
// It is for one goroutine.
func (d *Design) Holder() func(Recorded) bool {
	var tr *translator
	return func(r Recorded) bool {
		if tr == nil || !sameSlice(tr.from, r.Variables) {
			tr = newTranslator(r.Variables, d.experiment.Variables)
		}
		run, why := d.match(tr, r.Run)
		return why == "" && d.Contains(run)
	}
}

func sameSlice(a, b []engine.Variable) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// match finds a recorded run in the design, its position aside, or says why it
// is not there.
func (d *Design) match(tr *translator, recorded engine.Run) (run engine.Run, why string) {
	t, why := tr.translate(recorded.Treatment)
	if why != "" {
		return run, why
	}
	rank, ok := d.rank(t)
	if !ok {
		return run, d.whyNot(t)
	}
	if most := d.repeats.of(t); recorded.Replicate > most {
		return run, fmt.Sprintf("it is replicate %d, and there are %d now", recorded.Replicate, most)
	}
	if d.ids.Identify(t, recorded.Replicate) != recorded.ID {
		return run, "it is of another experiment or seed"
	}
	return engine.Run{ID: recorded.ID, Treatment: t, Rank: rank, Replicate: recorded.Replicate}, ""
}

// whyNot says why the design does not have a treatment.
func (d *Design) whyNot(t engine.Treatment) string {
	vars := d.experiment.Variables
	for i, v := range vars {
		exists := all(v.When, t)
		switch {
		case exists && t[i] == engine.Absent:
			return fmt.Sprintf("it has no level of variable %q", v.Name)
		case !exists && t[i] != engine.Absent:
			return fmt.Sprintf("variable %q does not exist there", v.Name)
		}
	}
	if d.choice != nil && d.space.Contains(t) {
		return "it is not in the sample"
	}
	return "its treatment is excluded"
}
