package tables

import "mpf/results/columns"

// pandasMetadata is the "pandas" key as pyarrow documents it: it lets
// pandas.read_parquet restore the index and types that may be null.
type pandasMetadata struct {
	IndexColumns  []any             `json:"index_columns"`
	ColumnIndexes []pandasColumn    `json:"column_indexes"`
	Columns       []pandasColumn    `json:"columns"`
	Creator       map[string]string `json:"creator"`
	PandasVersion string            `json:"pandas_version"`
}

type pandasColumn struct {
	Name       *string        `json:"name"`
	FieldName  *string        `json:"field_name"`
	PandasType string         `json:"pandas_type"`
	NumpyType  string         `json:"numpy_type"`
	Metadata   map[string]any `json:"metadata"`
}

type pandasRange struct {
	Kind  string  `json:"kind"`
	Name  *string `json:"name"`
	Start int64   `json:"start"`
	Stop  int64   `json:"stop"`
	Step  int64   `json:"step"`
}

// pandas makes the variables the index, or counts rows where there are none.
func pandas(described []columns.Column, indexed bool, rows int64) pandasMetadata {
	m := pandasMetadata{
		ColumnIndexes: []pandasColumn{{PandasType: "unicode", NumpyType: "object", Metadata: map[string]any{"encoding": "UTF-8"}}},
		Columns:       make([]pandasColumn, len(described)),
		Creator:       map[string]string{"library": "mpf", "version": "1"},
		PandasVersion: "2.0.0",
	}
	for i, c := range described {
		m.Columns[i] = pandasOf(c)
		if indexed && c.Role == columns.Variable {
			m.IndexColumns = append(m.IndexColumns, c.Name)
		}
	}
	if len(m.IndexColumns) == 0 {
		m.IndexColumns = []any{pandasRange{Kind: "range", Stop: rows, Step: 1}}
	}
	return m
}

func pandasOf(c columns.Column) pandasColumn {
	p := pandasColumn{Name: &c.Name, FieldName: &c.Name, PandasType: "unicode", NumpyType: "object"}
	switch c.Type {
	case columns.Bool:
		p.PandasType, p.NumpyType = "bool", "boolean"
	case columns.Int:
		p.PandasType, p.NumpyType = "int64", "Int64"
	case columns.Float:
		p.PandasType, p.NumpyType = "float64", "float64"
	case columns.Time:
		p.PandasType, p.NumpyType = "datetimetz", "datetime64[ns]"
		p.Metadata = map[string]any{"timezone": "UTC"}
	}
	return p
}
