package parquet

import (
	"fmt"
	"io"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"mpf/results/columns"
)

// featherBatch is how many rows a record batch of a Feather file has.
const featherBatch = 65_536

// WriteFeather writes a Feather file, version 2: an Arrow IPC file, not
// compressed, so that every reader takes it. Each vector must hold values of its
// field's type or nulls.
func WriteFeather(w io.Writer, fields []Field, vectors []*columns.Vector, meta []KeyValue) (done Written, err error) {
	defer rescue("Feather file", &err)
	s := newSink(w)
	schema := featherSchema(fields, meta)
	file, err := ipc.NewFileWriter(&counting{s}, ipc.WithSchema(schema))
	if err != nil {
		return Written{}, err
	}
	rows := 0
	if len(vectors) > 0 {
		rows = vectors[0].Len()
	}
	for from := 0; from < rows; from += featherBatch {
		if err := writeBatch(file, schema, vectors, from, min(from+featherBatch, rows)); err != nil {
			return Written{}, err
		}
	}
	if err := file.Close(); err != nil {
		return Written{}, err
	}
	return s.written(int64(rows)), s.err
}

func featherSchema(fields []Field, meta []KeyValue) *arrow.Schema {
	list := make([]arrow.Field, len(fields))
	for i, f := range fields {
		list[i] = arrow.Field{Name: f.Name, Type: featherType(f.Type), Nullable: true}
	}
	keys, values := make([]string, len(meta)), make([]string, len(meta))
	for i, kv := range meta {
		keys[i], values[i] = kv.Key, kv.Value
	}
	m := arrow.NewMetadata(keys, values)
	return arrow.NewSchema(list, &m)
}

func featherType(t columns.Type) arrow.DataType {
	switch t {
	case columns.Bool:
		return arrow.FixedWidthTypes.Boolean
	case columns.Int:
		return arrow.PrimitiveTypes.Int64
	case columns.Float:
		return arrow.PrimitiveTypes.Float64
	case columns.Time:
		return arrow.FixedWidthTypes.Timestamp_us
	}
	return arrow.BinaryTypes.String
}

func writeBatch(file *ipc.FileWriter, schema *arrow.Schema, vectors []*columns.Vector, from, to int) error {
	builder := array.NewRecordBuilder(memory.NewGoAllocator(), schema)
	defer builder.Release()
	for c, v := range vectors {
		for i := from; i < to; i++ {
			appendValue(builder.Field(c), v, i)
		}
	}
	batch := builder.NewRecord()
	defer batch.Release()
	return file.Write(batch)
}

func appendValue(b array.Builder, v *columns.Vector, i int) {
	if v.Kind(i) == columns.KindNull {
		b.AppendNull()
		return
	}
	switch b := b.(type) {
	case *array.BooleanBuilder:
		b.Append(v.Word(i) != 0)
	case *array.Int64Builder:
		b.Append(int64(v.Word(i)))
	case *array.Float64Builder:
		b.Append(v.Float(i))
	case *array.TimestampBuilder:
		b.Append(arrow.Timestamp(v.Word(i)))
	case *array.StringBuilder:
		b.Append(v.Text(i))
	}
}

// counting tells where it is, as the library wants to know; it cannot go
// anywhere else.
type counting struct{ *sink }

func (c *counting) Seek(offset int64, whence int) (int64, error) {
	if whence == io.SeekCurrent && offset == 0 || whence == io.SeekStart && offset == c.size {
		return c.size, nil
	}
	return 0, fmt.Errorf("cannot seek to %d", offset)
}

// ReadFeather reads a Feather file that holds the types of Field.
func ReadFeather(r interface {
	io.Reader
	io.ReaderAt
	io.Seeker
}) (fields []Field, vectors []*columns.Vector, err error) {
	defer rescue("Feather file", &err)
	file, err := ipc.NewFileReader(r)
	if err != nil {
		return nil, nil, fmt.Errorf("not a Feather file: %w", err)
	}
	defer file.Close()
	for _, f := range file.Schema().Fields() {
		t, ok := typeOfFeather(f.Type)
		if !ok {
			return nil, nil, fmt.Errorf("column %q: no support for type %s", f.Name, f.Type)
		}
		fields = append(fields, Field{Name: f.Name, Type: t})
		vectors = append(vectors, &columns.Vector{})
	}
	for i := range file.NumRecords() {
		batch, err := file.Record(i)
		if err != nil {
			return nil, nil, err
		}
		for c, v := range vectors {
			addColumn(v, batch.Column(c))
		}
	}
	return fields, vectors, nil
}

func typeOfFeather(t arrow.DataType) (columns.Type, bool) {
	for _, have := range []columns.Type{columns.Bool, columns.Int, columns.Float, columns.Time, columns.String} {
		if arrow.TypeEqual(t, featherType(have)) {
			return have, true
		}
	}
	return "", false
}

func addColumn(v *columns.Vector, column arrow.Array) {
	for i := range column.Len() {
		if column.IsNull(i) {
			v.AddNull()
			continue
		}
		switch c := column.(type) {
		case *array.Boolean:
			v.AddBool(c.Value(i))
		case *array.Int64:
			v.AddInt(c.Value(i))
		case *array.Float64:
			v.AddFloat(c.Value(i))
		case *array.Timestamp:
			v.AddMicros(int64(c.Value(i)))
		case *array.String:
			v.AddText(c.Value(i))
		}
	}
}
