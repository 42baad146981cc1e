package main

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"mpf/cmd/mpf/amount"
	"mpf/cmd/mpf/standing"
	"mpf/engine"
	"mpf/engine/design"
	"mpf/engine/design/draw"
)

// treeLines is how long the tree of a plan may be.
const treeLines = 200

// runsOf yields the runs of a design in their order.
func runsOf(d *design.Design) iter.Seq[engine.Run] {
	return func(yield func(engine.Run) bool) {
		for b := 1; b <= d.Blocks(); b++ {
			for run := range d.Block(b) {
				if !yield(run) {
					return
				}
			}
		}
	}
}

func (p *program) planText(l *loaded, s *standing.Standing, v *planOptions) error {
	p.say.print("%s\n", sizeWords(l))
	for _, variable := range l.experiment.Variables {
		p.say.print("  %s\n", variableWords(l.experiment, variable))
	}
	for _, line := range slices.Concat(orderWords(l), coverWords(l)) {
		p.say.print("%s\n", line)
	}
	p.say.print("\ntreatments by level:\n")
	rows, exact := draw.Balance(l.part)
	if !exact {
		p.say.print("of the whole design; the restriction is too large to be counted\n")
	}
	if err := p.say.table(rows); err != nil {
		return err
	}
	if err := p.planRuns(l, v); err != nil {
		return err
	}
	p.say.print("\n")
	if s != nil {
		p.planDifference(s)
	}
	for _, line := range costWords(l, s) {
		p.say.print("%s\n", line)
	}
	return nil
}

// planRuns shows the treatments as a tree or the first runs as a table.
func (p *program) planRuns(l *loaded, v *planOptions) error {
	if !v.tree {
		p.say.print("\nfirst runs:\n")
		if err := p.say.table(draw.Table(l.part, v.first)); err != nil {
			return err
		}
		if left := l.part.Runs() - v.first; left > 0 {
			p.say.print("and %d more\n", left)
		}
		return nil
	}
	if l.part.Treatments() != l.design.Treatments() || l.design.Choice() != nil {
		p.say.print("\nthe whole space, of which this is a part:\n")
	} else {
		p.say.print("\nall treatments:\n")
	}
	return draw.Tree(p.say.out, l.design.Space(), treeLines)
}

// sizeWords says how large a design is, and of what it is a part.
func sizeWords(l *loaded) string {
	e, d := l.experiment, l.part
	text := fmt.Sprintf("%s: %s x %s = %s, seed %d", e.Name, amount.Count(d.Treatments(), "treatment"),
		amount.Count(d.Blocks(), "replicate"), amount.Count(d.Runs(), "run"), e.Seed)
	if len(e.Repeats)+len(e.Stopping) > 0 {
		text = strings.Replace(text, " x ", " x up to ", 1)
	}
	if d.Treatments() != l.design.Treatments() || d.Runs() != l.design.Runs() {
		text += fmt.Sprintf("\n  of the whole design's %s and %s", amount.Count(l.design.Treatments(), "treatment"), amount.Count(l.design.Runs(), "run"))
	}
	return text
}

// orderWords say in which order the runs are executed, and how often.
func orderWords(l *loaded) []string {
	e := l.experiment
	text := "order: at random within each of " + amount.Count(l.part.Blocks(), "block")
	if e.Order == engine.Declared {
		text = "order: as declared, in " + amount.Count(l.part.Blocks(), "block")
	}
	var hard []string
	for _, v := range e.Variables {
		if v.HardToChange {
			hard = append(hard, v.Name)
		}
	}
	if len(hard) > 0 {
		text += "; runs of one level of " + joined(hard) + " stay together"
	}
	lines := []string{text}
	for _, r := range e.Repeats {
		lines = append(lines, fmt.Sprintf("replicates: %d%s", r.Replicates, whenWords(e, r.When)))
	}
	for _, s := range e.Stopping {
		lines = append(lines, fmt.Sprintf("replicates: until the 95 %% interval of the median of %s is within %g %% of it, %d to %d", s.Result, 100*s.CI, s.Min, s.Max))
	}
	return lines
}

// coverWords say what a partial design covers of its space.
func coverWords(l *loaded) []string {
	choice := l.design.Choice()
	if choice == nil {
		return nil
	}
	lines := []string{"sample: " + choice.Method}
	for _, line := range choice.Coverage.Lines() {
		lines = append(lines, "  "+line)
	}
	return lines
}

// variableWords are a variable with its levels and the conditions under which it
// exists.
func variableWords(e *engine.Experiment, v engine.Variable) string {
	text := v.Name + ":"
	for i, level := range v.Levels {
		if i == 12 {
			text += " ... " + amount.Count(len(v.Levels), "level")
			break
		}
		text += " " + engine.Shown(level.Label)
	}
	if v.Unit != "" {
		text += " " + v.Unit
	}
	return text + whenWords(e, v.When)
}

func whenWords(e *engine.Experiment, when []engine.Condition) (text string) {
	for i, c := range when {
		text += map[bool]string{true: "  when ", false: " and "}[i == 0] + e.Variables[c.Variable].Name + " is"
		for j, level := range c.Levels {
			text += map[bool]string{true: " ", false: " or "}[j == 0] + engine.Shown(e.Variables[c.Variable].Levels[level].Label)
		}
	}
	return text
}

// costWords say how long the runs to do will take and what room they need: from
// what was measured, or plainly that nothing was.
func costWords(l *loaded, s *standing.Standing) []string {
	f, ok := s.Left(len(l.cluster.Groups))
	switch {
	case s != nil && s.Todo == 0:
		return []string{"time: nothing is left to run"}
	case !ok:
		return []string{
			"time: unknown until two runs were measured",
			fmt.Sprintf("disk: about %s for the record; what commands print and samples come on top, known once two runs were measured", amount.Bytes(recordOfRun*float64(l.part.Runs()))),
		}
	}
	disk, _ := s.Disk()
	return []string{
		fmt.Sprintf("time: about %s for %s, %s to %s if they are like the %s measured", amount.Duration(seconds(f.Total)),
			amount.Count(s.Todo, "run"), amount.Duration(seconds(f.Low)), amount.Duration(seconds(f.High)), amount.Thousands(f.From)),
		fmt.Sprintf("disk: about %s for them, if they are like those", amount.Bytes(disk)),
	}
}

// recordOfRun is about how many bytes the journal and the tables take for a run
// whose commands print nothing.
const recordOfRun = 4 << 10

func seconds(s float64) time.Duration {
	const most = 1e9 // a longer time than anybody waits for
	return time.Duration(min(s, most) * float64(time.Second))
}
