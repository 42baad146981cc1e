package design

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"

	"mpf/engine"
)

// ReadTreatments reads treatments from CSV, such as draw.CSV writes: a column
// for each variable, found by its name, with labels; empty where it is absent.
// Other columns are passed over. A treatment may come several times.
func (d *Design) ReadTreatments(r io.Reader) (treatments []engine.Treatment, err error) {
	vars := d.experiment.Variables
	in := csv.NewReader(r)
	in.ReuseRecord = true
	head, err := in.Read()
	if err != nil {
		return nil, fmt.Errorf("treatments: the head line: %w", err)
	}
	columns := make([]int, len(vars))
	for i, v := range vars {
		if columns[i] = slices.Index(head, v.Name); columns[i] < 0 {
			return nil, engine.Mistake{Message: fmt.Sprintf("treatments: no column %q", v.Name),
				Hint: "each variable needs one: mpf plan --format csv writes them"}
		}
	}
	for {
		row, err := in.Read()
		if errors.Is(err, io.EOF) {
			return treatments, nil
		}
		if err != nil {
			return nil, fmt.Errorf("treatments: %w", err)
		}
		t, err := treatmentOf(vars, columns, row)
		if err != nil {
			line, _ := in.FieldPos(0)
			return nil, fmt.Errorf("treatments: line %d: %w", line, err)
		}
		treatments = append(treatments, t)
	}
}

// treatmentOf reads one row. An empty label is a level if there is one so
// labelled and the variable exists there.
func treatmentOf(vars []engine.Variable, columns []int, row []string) (engine.Treatment, error) {
	t := make(engine.Treatment, len(vars))
	for i, v := range vars {
		label := row[columns[i]]
		t[i] = slices.IndexFunc(v.Levels, func(l engine.Level) bool { return l.Label == label })
		if t[i] < 0 && label != "" {
			return nil, engine.Mistake{Message: fmt.Sprintf("variable %q has no level %q", v.Name, label), Hint: oneOf(labelsOf(v))}
		}
	}
	for i, v := range vars {
		if row[columns[i]] == "" && !all(v.When, t) {
			t[i] = engine.Absent
		}
	}
	return t, nil
}

func labelsOf(v engine.Variable) (labels []string) {
	for _, l := range v.Levels {
		labels = append(labels, l.Label)
	}
	return labels
}
