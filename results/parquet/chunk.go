package parquet

import (
	"bytes"
	"fmt"
	"sync"
	"unsafe"

	apache "github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/compress"
	"github.com/apache/arrow/go/v15/parquet/file"
	"github.com/apache/arrow/go/v15/parquet/metadata"
	"github.com/klauspost/compress/zstd"

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

// Holds reports whether the chunk is known to hold nothing but one text.
func (c Chunk) Holds(text string) bool {
	s := &c.stats
	return c.Field.Type == columns.String && s.HasMin && s.HasMax && s.HasNullCount && s.NullCount == 0 &&
		string(s.Min) == text && string(s.Max) == text
}

// An Encoder makes chunks. It may be used by several goroutines.
type Encoder struct {
	zstd    *zstd.Encoder
	scratch sync.Pool // of *scratch

	mu        sync.Mutex
	constants map[constant]Chunk
}

// A constant is a chunk that holds one value all over.
type constant struct {
	field Field
	rows  int
	kind  columns.Kind
	word  uint64
	text  string
}

// maxConstants bounds how many constant chunks are kept.
const maxConstants = 512

// NewEncoder returns an encoder.
func NewEncoder() (*Encoder, error) {
	z, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithZeroFrames(true), zstd.WithWindowSize(1<<20))
	if err != nil {
		return nil, err
	}
	return &Encoder{zstd: z, constants: map[constant]Chunk{}}, nil
}

// Encode encodes the values of a field. Each must be of the field's type or
// null: see columns.Convert.
func (e *Encoder) Encode(f Field, v *columns.Vector) (Chunk, error) {
	if v.Len() == 0 || !v.Constant() {
		return e.encode(f, v)
	}
	return e.encodeConstant(constant{f, v.Len(), v.Kind(0), v.Word(0), v.Text(0)}, func() *columns.Vector { return v })
}

// EncodeNulls encodes nothing but nulls.
func (e *Encoder) EncodeNulls(f Field, rows int) (Chunk, error) {
	return e.encodeConstant(constant{field: f, rows: rows}, func() *columns.Vector { return columns.Nulls(rows) })
}

func (e *Encoder) encodeConstant(key constant, v func() *columns.Vector) (Chunk, error) {
	e.mu.Lock()
	c, ok := e.constants[key]
	e.mu.Unlock()
	if ok {
		return c, nil
	}
	c, err := e.encode(key.field, v())
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.constants) >= maxConstants {
		clear(e.constants)
	}
	if err == nil {
		e.constants[key] = c
	}
	return c, err
}

func (e *Encoder) encode(f Field, v *columns.Vector) (c Chunk, err error) {
	defer rescue(fmt.Sprintf("column %q", f.Name), &err)
	as := f
	if v.Empty() {
		as.Distinct = false // the library's other encodings cannot be without values
	}
	group, err := root([]Field{as})
	if err != nil {
		return Chunk{}, err
	}
	buffers, _ := e.scratch.Get().(*scratch)
	if buffers == nil {
		buffers = &scratch{}
	}
	defer e.scratch.Put(buffers)
	buffers.out.Reset()
	w := file.NewParquetWriter(&buffers.out, group, file.WithWriterProps(properties([]Field{as}, compress.Codecs.Uncompressed)))
	column, err := w.AppendRowGroup().NextColumn()
	if err != nil {
		return Chunk{}, err
	}
	if err := buffers.put(column, v); err != nil {
		return Chunk{}, err
	}
	if err := w.Close(); err != nil {
		return Chunk{}, err
	}
	return e.cut(f, v.Len(), buffers.out.Bytes(), &buffers.packed)
}

// cut takes the chunk out of a file that holds nothing else, and compresses it.
func (e *Encoder) cut(f Field, rows int, whole []byte, packed *[]byte) (Chunk, error) {
	r, err := file.NewParquetReader(bytes.NewReader(whole))
	if err != nil {
		return Chunk{}, err
	}
	meta, err := r.MetaData().RowGroup(0).ColumnChunk(0)
	if err != nil {
		return Chunk{}, err
	}
	c, start, err := chunkOf(meta, f, rows)
	if err != nil {
		return Chunk{}, err
	}
	c.data, c.pages, err = compressPages(e.zstd, packed, whole[start:start+meta.TotalCompressedSize()], c.pages)
	return c, err
}

// chunkOf returns what a file says of a chunk in it, and where the chunk starts.
func chunkOf(meta *metadata.ColumnChunkMetaData, f Field, rows int) (c Chunk, start int64, err error) {
	start = meta.DataPageOffset()
	if meta.HasDictionaryPage() {
		start = meta.DictionaryPageOffset()
	}
	c = Chunk{
		Field: f, Rows: rows,
		plainSize:  meta.TotalUncompressedSize(),
		dictionary: meta.HasDictionaryPage(),
		fallback:   meta.HasDictionaryPage() && len(meta.Encodings()) > 3,
		pages:      meta.DataPageOffset() - start,
	}
	stats, err := meta.Statistics()
	if err != nil || stats == nil {
		return c, start, err
	}
	c.stats, err = stats.Encode()
	return c, start, err
}

// bytesOf returns the bytes of a text, which the library reads and never
// writes, without copying them.
func bytesOf(text string) apache.ByteArray {
	return unsafe.Slice(unsafe.StringData(text), len(text))
}
