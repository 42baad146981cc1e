package tables

import (
	"fmt"

	"mpf/results/columns"
	"mpf/results/parquet"
)

// A Selection is a file of rows and columns that were taken from a table. It says
// what they are, but carries no plan: nothing can be gone on with from it.
type Selection struct {
	Campaign Campaign `json:"-"`
	Table    string   `json:"table"`   // that they were taken from
	Rows     int64    `json:"rows"`    // that it had
	Columns  int      `json:"columns"` // that it had
}

// Selection returns what a file of parts of the table says of where they are from.
func (t *File) Selection() *Selection {
	if t.Selected != nil {
		return t.Selected
	}
	return &Selection{Campaign: t.Campaign, Table: t.Name, Rows: t.Rows(), Columns: len(t.Columns)}
}

// Describe returns the metadata that makes a file of a frame describe itself:
// its columns, the index for pandas, and where it was selected from, if it was.
func Describe(f columns.Frame, from *Selection) []parquet.KeyValue {
	meta := []parquet.KeyValue{
		{Key: keyColumns, Value: asJSON(f.Columns)},
		{Key: keyPandas, Value: asJSON(pandas(f.Columns, true, int64(f.Len())))},
	}
	if from == nil {
		return meta
	}
	return append(meta,
		parquet.KeyValue{Key: keyTable, Value: from.Table},
		parquet.KeyValue{Key: keyCampaign, Value: asJSON(from.Campaign)},
		parquet.KeyValue{Key: keySelection, Value: asJSON(from)})
}

// selected notes that a file is a selection, if its metadata say so.
func (t *File) selected() error {
	if _, ok := t.file.Metadata(keySelection); !ok {
		return nil
	}
	t.Selected = &Selection{Campaign: t.Campaign}
	return t.decode(keySelection, t.Selected)
}

// NoInputsError says that a file carries no inputs of its campaign.
type NoInputsError struct {
	Path string
	Name string // of the table
	Part bool   // it is a selection
}

func (e *NoInputsError) Error() string {
	if e.Part {
		return fmt.Sprintf("%s: is a selection of %s and carries no plan and no script", e.Path, e.Name)
	}
	return fmt.Sprintf("%s: is a %s, only %s carries the campaign's inputs", e.Path, e.Name, RunsFile)
}

// Hint says what to do about it.
func (e *NoInputsError) Hint() string {
	if e.Part && e.Name == RunsFile {
		return "name the " + RunsFile + " that it was exported from"
	}
	return "name the " + RunsFile + " beside it"
}
