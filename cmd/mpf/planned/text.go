package planned

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"mpf/cmd/mpf/amount"
	"mpf/engine"
	"mpf/engine/design/draw"
	"mpf/results/grid"
)

// treeLines is how long the tree of a plan may be.
const treeLines = 200

// Text writes a plan for people.
func (p Plan) Text(w io.Writer) error {
	var b bytes.Buffer
	fmt.Fprintln(&b, p.size())
	for _, v := range p.experiment().Variables {
		fmt.Fprintf(&b, "  %s\n", variableWords(p.experiment(), v))
	}
	for _, line := range slices.Concat(p.order(), p.cover()) {
		fmt.Fprintln(&b, line)
	}
	fmt.Fprintln(&b, "\ntreatments by level:")
	rows, exact := draw.Balance(p.Part)
	if !exact {
		fmt.Fprintln(&b, "of the whole design; the restriction is too large to be counted")
	}
	if err := (grid.Grid{Rows: rows}).Render(&b); err != nil {
		return err
	}
	if err := p.runs(&b); err != nil {
		return err
	}
	fmt.Fprintln(&b)
	if p.Standing != nil {
		writeDifference(&b, p.Standing)
	}
	for _, line := range p.cost() {
		fmt.Fprintln(&b, line)
	}
	_, err := w.Write(b.Bytes())
	return err
}

// runs writes the treatments as a tree or the first runs as a table.
func (p Plan) runs(w io.Writer) error {
	if !p.Tree {
		fmt.Fprintln(w, "\nfirst runs:")
		if err := (grid.Grid{Rows: draw.Table(p.Part, p.First)}).Render(w); err != nil {
			return err
		}
		if left := p.Part.Runs() - p.First; left > 0 {
			fmt.Fprintf(w, "and %d more\n", left)
		}
		return nil
	}
	if p.Part.Treatments() != p.Whole.Treatments() || p.Whole.Choice() != nil {
		fmt.Fprintln(w, "\nthe whole space, of which this is a part:")
	} else {
		fmt.Fprintln(w, "\nall treatments:")
	}
	return draw.Tree(w, p.Whole.Space(), treeLines)
}

// size says how large a design is, and of what it is a part.
func (p Plan) size() string {
	e, d := p.experiment(), p.Part
	text := fmt.Sprintf("%s: %s x %s = %s, seed %d", e.Name, amount.Count(d.Treatments(), "treatment"),
		amount.Count(d.Blocks(), "replicate"), amount.Count(d.Runs(), "run"), e.Seed)
	if len(e.Repeats)+len(e.Stopping) > 0 {
		text = strings.Replace(text, " x ", " x up to ", 1)
	}
	if d.Treatments() != p.Whole.Treatments() || d.Runs() != p.Whole.Runs() {
		text += fmt.Sprintf("\n  of the whole design's %s and %s", amount.Count(p.Whole.Treatments(), "treatment"), amount.Count(p.Whole.Runs(), "run"))
	}
	return text
}

// order says in which order the runs are executed, and how often.
func (p Plan) order() []string {
	e := p.experiment()
	text := "order: at random within each of " + amount.Count(p.Part.Blocks(), "block")
	if e.Order == engine.Declared {
		text = "order: as declared, in " + amount.Count(p.Part.Blocks(), "block")
	}
	var hard []string
	for _, v := range e.Variables {
		if v.HardToChange {
			hard = append(hard, v.Name)
		}
	}
	if len(hard) > 0 {
		text += "; runs of one level of " + strings.Join(hard, ", ") + " stay together"
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

// cover says what a partial design covers of its space.
func (p Plan) cover() []string {
	choice := p.Whole.Choice()
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

// cost says how long the runs to do will take and what room they need: from
// what was measured, or plainly that nothing was.
func (p Plan) cost() []string {
	s := p.Standing
	f, ok := s.Left(p.Groups)
	switch {
	case s != nil && s.Todo == 0:
		return []string{"time: nothing is left to run"}
	case !ok:
		return []string{
			"time: unknown until two runs were measured",
			fmt.Sprintf("disk: about %s for the record; what commands print and samples come on top, known once two runs were measured", amount.Bytes(recordOfRun*float64(p.Part.Runs()))),
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
