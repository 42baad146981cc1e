package draw

import (
	"encoding/csv"
	"fmt"
	"io"
	"iter"
	"strconv"
	"strings"
	"text/tabwriter"

	"mpf/engine"
	"mpf/engine/design"
)

// idLength is how much of a run ID a table shows.
const idLength = 8

// Table writes the first runs of a design, at most n, a line each.
func Table(w io.Writer, d *design.Design, n int64) error {
	vars := d.Experiment().Variables
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprint(out, "position\tblock\trun")
	for _, v := range vars {
		fmt.Fprintf(out, "\t%s", clean(v.Name))
	}
	fmt.Fprintln(out)
	for run := range first(d, n) {
		fmt.Fprintf(out, "%d\t%d\t%s", run.Position, run.Block, run.ID.String()[:idLength])
		for i := range vars {
			label := "·"
			if run.Treatment[i] != engine.Absent {
				label = run.Treatment.Label(vars, i)
			}
			fmt.Fprintf(out, "\t%s", clean(label))
		}
		fmt.Fprintln(out)
	}
	if left := d.Runs() - n; left > 0 {
		fmt.Fprintf(out, "and %d more\n", left)
	}
	return out.Flush()
}

// CSV writes every run of a design: a head, then a line each. Variables that
// are absent are empty.
func CSV(w io.Writer, d *design.Design) error {
	vars := d.Experiment().Variables
	out := csv.NewWriter(w)
	row := []string{"position", "block", "replicate", "run_id"}
	for _, v := range vars {
		row = append(row, v.Name)
	}
	if err := out.Write(row); err != nil {
		return err
	}
	for run := range first(d, d.Runs()) {
		row = append(row[:0], strconv.FormatInt(run.Position, 10), strconv.Itoa(run.Block), strconv.Itoa(run.Replicate), run.ID.String())
		for i := range vars {
			row = append(row, run.Treatment.Label(vars, i))
		}
		if err := out.Write(row); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// first yields the first n runs of a design.
func first(d *design.Design, n int64) iter.Seq[engine.Run] {
	return func(yield func(engine.Run) bool) {
		left := n
		for b := 1; b <= d.Blocks() && left > 0; b++ {
			for run := range d.Block(b) {
				if left == 0 {
					return
				}
				left--
				if !yield(run) {
					return
				}
			}
		}
	}
}

// clean keeps a label on its line and in its column.
func clean(label string) string {
	if label == "" {
		return `""`
	}
	if strings.ContainsFunc(label, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return strconv.Quote(label)
	}
	return label
}
