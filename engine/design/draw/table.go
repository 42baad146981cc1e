package draw

import (
	"encoding/csv"
	"io"
	"strconv"

	"mpf/engine"
	"mpf/engine/design"
)

// idLength is how much of a run ID a table shows.
const idLength = 8

// absent stands for the level of a variable that does not exist.
const absent = "·"

// Table lists the first runs of a design, at most n, a row each below a head.
func Table(d *design.Design, n int64) (rows [][]string) {
	vars := d.Experiment().Variables
	head := []string{"position", "block", "run"}
	for _, v := range vars {
		head = append(head, engine.Shown(v.Name))
	}
	rows = append(rows, head)
	for run := range d.First(n) {
		row := []string{strconv.FormatInt(run.Position, 10), strconv.Itoa(run.Block), run.ID.String()[:idLength]}
		for i := range vars {
			if run.Treatment[i] == engine.Absent {
				row = append(row, absent)
			} else {
				row = append(row, engine.Shown(run.Treatment.Label(vars, i)))
			}
		}
		rows = append(rows, row)
	}
	return rows
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
	for run := range d.First(d.Runs()) {
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
