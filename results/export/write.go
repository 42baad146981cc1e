package export

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"mpf/engine"
	"mpf/results/columns"
	"mpf/results/parquet"
	"mpf/results/tables"
)

// Format is a form of a table.
type Format string

const (
	CSV     Format = "csv"
	JSON    Format = "json"  // an array of objects
	JSONL   Format = "jsonl" // an object a line
	Parquet Format = "parquet"
	Feather Format = "feather" // Arrow IPC
)

// Formats lists the forms that Write knows.
func Formats() []Format { return []Format{CSV, JSON, JSONL, Parquet, Feather} }

// Write writes a table. Forms that describe themselves say what it was selected
// from, if it was.
func Write(w io.Writer, f columns.Frame, format Format, from *tables.Selection) error {
	buffered := bufio.NewWriterSize(w, 1<<16)
	var err error
	switch format {
	case CSV:
		err = writeCSV(buffered, f)
	case JSON:
		err = writeJSON(buffered, f)
	case JSONL:
		err = writeLines(buffered, f)
	case Parquet:
		err = writeParquet(buffered, f, from)
	case Feather:
		_, err = parquet.WriteFeather(buffered, fieldsOf(f), f.Vectors, tables.Describe(f, from))
	default:
		err = fmt.Errorf("format %q: there is none (use csv, json, jsonl, parquet, feather or mlflow)", format)
	}
	if err != nil {
		return err
	}
	return buffered.Flush()
}

// writeCSV writes a null as nothing and an empty text as "".
func writeCSV(w *bufio.Writer, f columns.Frame) error {
	for i, c := range f.Columns {
		if i > 0 {
			w.WriteByte(',')
		}
		w.WriteString(quoteCSV(c.Name))
	}
	w.WriteByte('\n')
	for row := range f.Len() {
		for i, v := range f.Vectors {
			if i > 0 {
				w.WriteByte(',')
			}
			w.WriteString(cellCSV(v, row))
		}
		if err := w.WriteByte('\n'); err != nil {
			return err
		}
	}
	return nil
}

func cellCSV(v *columns.Vector, row int) string {
	switch value := v.At(row).(type) {
	case nil:
		return ""
	case time.Time:
		return value.Format(timeForm)
	case string:
		return quoteCSV(value)
	case []engine.Value:
		return quoteCSV(string(columns.AppendJSON(nil, value)))
	default:
		return engine.FormatValue(value)
	}
}

// timeForm is ISO 8601 with microseconds.
const timeForm = "2006-01-02T15:04:05.000000Z07:00"

func quoteCSV(text string) string {
	if text != "" && !strings.ContainsAny(text, ",\"\r\n") && strings.TrimSpace(text) == text {
		return text
	}
	return `"` + strings.ReplaceAll(text, `"`, `""`) + `"`
}

func writeJSON(w *bufio.Writer, f columns.Frame) error {
	w.WriteString("[")
	for row := range f.Len() {
		if row > 0 {
			w.WriteString(",")
		}
		w.WriteString("\n")
		if _, err := w.Write(appendRow(nil, f, row)); err != nil {
			return err
		}
	}
	_, err := w.WriteString("\n]\n")
	return err
}

func writeLines(w *bufio.Writer, f columns.Frame) error {
	var line []byte
	for row := range f.Len() {
		line = append(appendRow(line[:0], f, row), '\n')
		if _, err := w.Write(line); err != nil {
			return err
		}
	}
	return nil
}

// appendRow appends a row as an object. What JSON has no number for, such as
// NaN, is a text.
func appendRow(b []byte, f columns.Frame, row int) []byte {
	b = append(b, '{')
	for i, c := range f.Columns {
		if i > 0 {
			b = append(b, ',')
		}
		name, err := json.Marshal(c.Name)
		if err != nil {
			name = []byte(`""`)
		}
		b = append(append(b, name...), ':')
		b = appendCell(b, f.Vectors[i].At(row))
	}
	return append(b, '}')
}

func appendCell(b []byte, v engine.Value) []byte {
	switch v := v.(type) {
	case time.Time:
		return append(append(append(b, '"'), v.Format(timeForm)...), '"')
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return append(append(append(b, '"'), engine.FormatFloat(v)...), '"')
		}
	}
	return columns.AppendJSON(b, v)
}

func fieldsOf(f columns.Frame) []parquet.Field {
	fields := make([]parquet.Field, len(f.Columns))
	for i, c := range f.Columns {
		fields[i] = parquet.Field{Name: c.Name, Type: c.Type, Distinct: c.Type == columns.Float || c.Type == columns.Time || c.Name == "run_id"}
	}
	return fields
}

// groupRows is how many rows a row group of an exported file has.
const groupRows = 65_536

func writeParquet(w io.Writer, f columns.Frame, from *tables.Selection) error {
	e, err := parquet.NewEncoder()
	if err != nil {
		return err
	}
	fields := fieldsOf(f)
	pw, err := parquet.NewWriter(w, fields)
	if err != nil {
		return err
	}
	for begin := 0; begin < f.Len(); begin += groupRows {
		rows := make([]int, min(groupRows, f.Len()-begin))
		for i := range rows {
			rows[i] = begin + i
		}
		part := f.Pick(rows)
		chunks := make([]parquet.Chunk, len(fields))
		for i, field := range fields {
			if chunks[i], err = e.Encode(field, part.Vectors[i]); err != nil {
				return err
			}
		}
		if err := pw.Append(chunks); err != nil {
			return err
		}
	}
	_, err = pw.Close(tables.Describe(f, from))
	return err
}
