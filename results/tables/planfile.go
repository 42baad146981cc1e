package tables

import (
	"encoding/json"
	"io"
	"iter"

	"mpf/engine"
	"mpf/results/columns"
	"mpf/results/parquet"
	"mpf/results/record"
)

// planFile is the name of the table of a plan, wherever it is written.
const planFile = "plan.parquet"

// planGroup is how many runs make a row group of it.
const planGroup = 1 << 16

// A planTable writes runs that have not been executed, a row group at a time.
type planTable struct {
	vars    []engine.Variable
	fields  []parquet.Field
	columns []columns.Column
	vectors []*columns.Vector
	encoder *parquet.Encoder
	writer  *parquet.Writer
}

// WritePlan writes the runs of a plan as they come: the columns that identify
// them in runs.parquet, then the variables. It keeps one row group in memory.
func WritePlan(w io.Writer, plan record.Plan, runs iter.Seq[engine.Run]) error {
	t, err := newPlanTable(w, plan.Experiment.Variables)
	if err != nil {
		return err
	}
	for run := range runs {
		t.add(run)
		if t.vectors[0].Len() == planGroup {
			if err := t.flush(); err != nil {
				return err
			}
		}
	}
	if err := t.flush(); err != nil {
		return err
	}
	return t.close(plan)
}

func newPlanTable(w io.Writer, vars []engine.Variable) (*planTable, error) {
	t := &planTable{vars: vars}
	for _, c := range RunColumns() {
		switch c.Name {
		case "run_id", "replicate", "block", "position":
			t.columns = append(t.columns, c)
		}
	}
	for _, v := range vars {
		c, _ := variableColumn([]engine.Variable{v})
		t.columns = append(t.columns, c)
	}
	for _, c := range t.columns {
		t.fields = append(t.fields, parquet.Field{Name: c.Name, Type: c.Type, Distinct: c.Distinct})
	}
	t.empty()
	var err error
	if t.encoder, err = parquet.NewEncoder(); err != nil {
		return nil, err
	}
	t.writer, err = parquet.NewWriter(w, t.fields)
	return t, err
}

func (t *planTable) empty() {
	t.vectors = make([]*columns.Vector, len(t.fields))
	for i := range t.vectors {
		t.vectors[i] = &columns.Vector{}
	}
}

// add follows the order of RunColumns.
func (t *planTable) add(run engine.Run) {
	t.vectors[0].AddText(run.ID.String())
	t.vectors[1].Add(int64(run.Replicate))
	t.vectors[2].Add(int64(run.Block))
	t.vectors[3].Add(run.Position)
	rest := t.columns[len(t.columns)-len(t.vars):]
	for i, v := range t.vectors[len(t.columns)-len(t.vars):] {
		switch {
		case run.Treatment[i] == engine.Absent:
			v.Add(nil)
		case rest[i].Labelled:
			v.AddText(run.Treatment.Label(t.vars, i))
		default:
			v.Add(run.Treatment.Value(t.vars, i))
		}
	}
}

func (t *planTable) flush() error {
	if t.vectors[0].Len() == 0 {
		return nil
	}
	chunks := make([]parquet.Chunk, len(t.fields))
	for i, f := range t.fields {
		var err error
		if chunks[i], err = t.encoder.Encode(f, t.vectors[i]); err != nil {
			return err
		}
	}
	t.empty()
	return t.writer.Append(chunks)
}

func (t *planTable) close(plan record.Plan) error {
	e := plan.Experiment
	about, err := json.Marshal(t.columns)
	if err != nil {
		return err
	}
	from, err := json.Marshal(Campaign{
		Experiment: e.Name, Doc: e.Doc, Seed: e.Seed, Replicates: e.Replicates, Order: string(e.Order),
		Treatments: plan.Treatments, Runs: plan.Runs, MPF: plan.MPF, Plans: []PlanInfo{},
	})
	if err != nil {
		return err
	}
	_, err = t.writer.Close([]parquet.KeyValue{
		{Key: keyTable, Value: planFile}, {Key: keyCampaign, Value: string(from)}, {Key: keyColumns, Value: string(about)},
	})
	return err
}
