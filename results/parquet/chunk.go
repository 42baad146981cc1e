package parquet

import (
	"bytes"
	"fmt"

	apache "github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/file"
	"github.com/apache/arrow/go/v15/parquet/metadata"

	"mpf/results/columns"
)

// A Chunk is the encoded values of one field in one row group.
type Chunk struct {
	Field Field
	Rows  int

	data       []byte
	plainSize  int64
	dictionary bool  // data begins with a dictionary page
	fallback   bool  // the dictionary grew too large on the way
	pages      int64 // offset of the first data page in data
	stats      metadata.EncodedStatistics
}

// Size returns the number of bytes that the chunk takes in a file.
func (c Chunk) Size() int { return len(c.data) }

// Encode encodes the values of a field. Each must be of the field's type or
// null: see columns.Convert.
func Encode(f Field, v *columns.Vector) (c Chunk, err error) {
	defer rescue(fmt.Sprintf("column %q", f.Name), &err)
	group, err := root([]Field{f})
	if err != nil {
		return Chunk{}, err
	}
	var out bytes.Buffer
	w := file.NewParquetWriter(&out, group, file.WithWriterProps(properties([]Field{f})))
	column, err := w.AppendRowGroup().NextColumn()
	if err != nil {
		return Chunk{}, err
	}
	if err := put(column, v); err != nil {
		return Chunk{}, err
	}
	if err := w.Close(); err != nil {
		return Chunk{}, err
	}
	return cut(f, v.Len(), out.Bytes())
}

// cut takes the chunk out of a file that holds nothing else.
func cut(f Field, rows int, whole []byte) (Chunk, error) {
	r, err := file.NewParquetReader(bytes.NewReader(whole))
	if err != nil {
		return Chunk{}, err
	}
	meta, err := r.MetaData().RowGroup(0).ColumnChunk(0)
	if err != nil {
		return Chunk{}, err
	}
	start := meta.DataPageOffset()
	if meta.HasDictionaryPage() {
		start = meta.DictionaryPageOffset()
	}
	c := Chunk{
		Field: f, Rows: rows,
		data:       whole[start : start+meta.TotalCompressedSize()],
		plainSize:  meta.TotalUncompressedSize(),
		dictionary: meta.HasDictionaryPage(),
		fallback:   meta.HasDictionaryPage() && len(meta.Encodings()) > 3,
		pages:      meta.DataPageOffset() - start,
	}
	c.data = append(make([]byte, 0, len(c.data)), c.data...)
	stats, err := meta.Statistics()
	if err != nil || stats == nil {
		return c, err
	}
	c.stats, err = stats.Encode()
	return c, err
}

// put writes a whole vector into a column of the library.
func put(column file.ColumnChunkWriter, v *columns.Vector) error {
	n := v.Len()
	levels := make([]int16, n)
	dense := make([]int, 0, n)
	for i := range n {
		if v.Kind(i) != columns.KindNull {
			levels[i] = 1
			dense = append(dense, i)
		}
	}
	var err error
	switch w := column.(type) {
	case *file.BooleanColumnChunkWriter:
		_, err = w.WriteBatch(gather(dense, func(i int) bool { return v.Word(i) != 0 }), levels, nil)
	case *file.Int64ColumnChunkWriter:
		_, err = w.WriteBatch(gather(dense, func(i int) int64 { return int64(v.Word(i)) }), levels, nil)
	case *file.Float64ColumnChunkWriter:
		_, err = w.WriteBatch(gather(dense, v.Float), levels, nil)
	case *file.ByteArrayColumnChunkWriter:
		_, err = w.WriteBatch(gather(dense, func(i int) apache.ByteArray { return apache.ByteArray(v.Text(i)) }), levels, nil)
	default:
		err = fmt.Errorf("no column of type %s is written", column.Type())
	}
	if err != nil {
		return err
	}
	return column.Close()
}

func gather[T any](places []int, at func(int) T) []T {
	values := make([]T, len(places))
	for i, p := range places {
		values[i] = at(p)
	}
	return values
}
