package parquet

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"

	apache "github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/file"
	"github.com/apache/arrow/go/v15/parquet/schema"

	"mpf/results/columns"
)

// A File is a Parquet file that is read.
type File struct {
	at     io.ReaderAt
	r      *file.Reader
	fields []Field
}

// NewFile reads the footer of a file. Only flat files are taken, of the types
// that Field has; narrower ones are widened. A file that mpf wrote is first
// found to be as it was written.
func NewFile(r readerAtSeeker) (*File, error) {
	if err := checkSeal(r); err != nil {
		return nil, err
	}
	return newFile(r)
}

// NewKnownFile reads the footer of a file that is known by its size and hash,
// after finding that it is the one.
func NewKnownFile(r readerAtSeeker, known Written) (*File, error) {
	size, err := r.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, err
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, io.NewSectionReader(r, 0, size)); err != nil {
		return nil, err
	}
	if size != known.Size || hex.EncodeToString(sum.Sum(nil)) != known.SHA256 {
		return nil, errors.New("it is not the file that is known")
	}
	return newFile(r)
}

func newFile(r readerAtSeeker) (f *File, err error) {
	defer rescue("Parquet footer", &err)
	reader, err := file.NewParquetReader(r)
	if err != nil {
		return nil, fmt.Errorf("not a Parquet file: %w", err)
	}
	f = &File{at: r, r: reader}
	s := reader.MetaData().Schema
	for i := range s.NumColumns() {
		field, err := fieldOf(s.Column(i))
		if err != nil {
			return nil, err
		}
		f.fields = append(f.fields, field)
	}
	return f, nil
}

func fieldOf(c *schema.Column) (Field, error) {
	f := Field{Name: c.Name()}
	if c.MaxRepetitionLevel() > 0 || len(c.ColumnPath()) > 1 {
		return f, fmt.Errorf("column %q: is nested", c.Path())
	}
	_, isTime := c.LogicalType().(schema.TimestampLogicalType)
	if !isTime {
		_, isTime = c.LogicalType().(*schema.TimestampLogicalType)
	}
	switch c.PhysicalType() {
	case apache.Types.Boolean:
		f.Type = columns.Bool
	case apache.Types.Int64, apache.Types.Int32:
		f.Type = columns.Int
		if isTime {
			f.Type = columns.Time
		}
	case apache.Types.Double, apache.Types.Float:
		f.Type = columns.Float
	case apache.Types.ByteArray:
		f.Type = columns.String
	default:
		return f, fmt.Errorf("column %q: no support for type %s", c.Path(), c.PhysicalType())
	}
	return f, nil
}

// Fields returns the columns. A list is told from a text by the metadata alone.
func (f *File) Fields() []Field { return f.fields }

// Rows returns the number of rows.
func (f *File) Rows() int64 { return f.r.NumRows() }

// Groups returns the number of row groups.
func (f *File) Groups() int { return f.r.NumRowGroups() }

// Metadata returns the value of a key of the file's metadata.
func (f *File) Metadata(key string) (string, bool) {
	value := f.r.MetaData().KeyValueMetadata().FindValue(key)
	if value == nil {
		return "", false
	}
	return *value, true
}

// Read returns the values of a column in a row group.
func (f *File) Read(group, column int) (v *columns.Vector, err error) {
	defer rescue(fmt.Sprintf("column %q", f.fields[column].Name), &err)
	g := f.r.RowGroup(group)
	reader, err := g.Column(column)
	if err != nil {
		return nil, err
	}
	v = &columns.Vector{}
	v.Grow(int(g.NumRows()))
	if err := read(reader, v, f.fields[column].Type, int(g.NumRows())); err != nil {
		return nil, fmt.Errorf("column %q: %w", f.fields[column].Name, err)
	}
	if v.Len() != int(g.NumRows()) {
		return nil, fmt.Errorf("column %q: %d values in a row group of %d rows", f.fields[column].Name, v.Len(), g.NumRows())
	}
	return v, nil
}

// Chunk returns the values of a column in a row group as they are encoded. The
// field is the one that they were encoded for.
func (f *File) Chunk(group, column int, field Field) (c Chunk, err error) {
	defer rescue(fmt.Sprintf("column %q", field.Name), &err)
	g := f.r.MetaData().RowGroup(group)
	meta, err := g.ColumnChunk(column)
	if err != nil {
		return Chunk{}, err
	}
	c, start, err := chunkOf(meta, field, int(g.NumRows()))
	if err != nil {
		return Chunk{}, err
	}
	c.data = make([]byte, meta.TotalCompressedSize())
	_, err = f.at.ReadAt(c.data, start)
	return c, err
}

// GroupRows returns the number of rows of a row group.
func (f *File) GroupRows(group int) int { return int(f.r.MetaData().RowGroup(group).NumRows()) }

func read(column file.ColumnChunkReader, v *columns.Vector, t columns.Type, rows int) error {
	switch r := column.(type) {
	case *file.BooleanColumnChunkReader:
		return scatter(r, v, rows, v.AddBool)
	case *file.Int64ColumnChunkReader:
		if t == columns.Time {
			return scatter(r, v, rows, v.AddMicros)
		}
		return scatter(r, v, rows, v.AddInt)
	case *file.Int32ColumnChunkReader:
		return scatter(r, v, rows, func(i int32) { v.AddInt(int64(i)) })
	case *file.Float64ColumnChunkReader:
		return scatter(r, v, rows, v.AddFloat)
	case *file.Float32ColumnChunkReader:
		return scatter(r, v, rows, func(x float32) { v.AddFloat(float64(x)) })
	case *file.ByteArrayColumnChunkReader:
		return scatter(r, v, rows, func(b apache.ByteArray) { v.AddBytes(b) })
	}
	return fmt.Errorf("no column of type %s is read", column.Type())
}

// batchReader is what the library's typed readers have in common.
type batchReader[T any] interface {
	file.ColumnChunkReader
	ReadBatch(n int64, values []T, definition, repetition []int16) (total int64, read int, err error)
}

func scatter[T any](r batchReader[T], v *columns.Vector, rows int, add func(T)) error {
	values, levels := make([]T, rows), make([]int16, rows)
	required := r.Descriptor().MaxDefinitionLevel() == 0
	for seen := 0; r.HasNext(); {
		total, n, err := r.ReadBatch(int64(rows), values, levels, nil)
		if err != nil {
			return err
		}
		if total == 0 {
			break
		}
		if seen += int(total); seen > rows {
			return fmt.Errorf("more values than its row group has rows")
		}
		next := 0
		for i := range int(total) {
			if !required && levels[i] == 0 {
				v.AddNull()
				continue
			}
			if next == n {
				return fmt.Errorf("fewer values than its levels say")
			}
			add(values[next])
			next++
		}
	}
	return r.Err()
}

// Decode returns the values of a chunk.
func Decode(c Chunk) (*columns.Vector, error) {
	var whole bytes.Buffer
	w, err := NewWriter(&whole, []Field{c.Field})
	if err != nil {
		return nil, err
	}
	if err := w.Append([]Chunk{c}); err != nil {
		return nil, err
	}
	if _, err := w.Close(nil); err != nil {
		return nil, err
	}
	f, err := newFile(bytes.NewReader(whole.Bytes()))
	if err != nil {
		return nil, err
	}
	v, err := f.Read(0, 0)
	if err == nil && c.Field.Type == columns.List {
		v.AsLists()
	}
	return v, err
}
