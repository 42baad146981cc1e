package parquet

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"

	apache "github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/compress"
	"github.com/apache/arrow/go/v15/parquet/metadata"
	"github.com/apache/arrow/go/v15/parquet/schema"
)

const magic = "PAR1"

// A KeyValue is an entry of a file's metadata.
type KeyValue struct{ Key, Value string }

// A Writer puts a file together from chunks, one row group after the other.
type Writer struct {
	fields []Field
	props  *apache.WriterProperties
	footer *metadata.FileMetaDataBuilder
	sink   *sink
	rows   int64
	groups int
}

// NewWriter begins a file.
func NewWriter(w io.Writer, fields []Field) (pw *Writer, err error) {
	defer rescue("Parquet schema", &err)
	group, err := root(fields)
	if err != nil {
		return nil, err
	}
	props := properties(fields, compress.Codecs.Zstd)
	pw = &Writer{fields: fields, props: props, sink: newSink(w)}
	pw.footer = metadata.NewFileMetadataBuilder(schema.NewSchema(group), props, metadata.NewKeyValueMetadata())
	_, err = io.WriteString(pw.sink, magic)
	return pw, err
}

// Append writes a row group: a chunk for each field, in the fields' order, all
// with equally many rows.
func (w *Writer) Append(chunks []Chunk) (err error) {
	defer rescue("Parquet row group", &err)
	if len(chunks) != len(w.fields) {
		return fmt.Errorf("a row group of %d columns in a file of %d", len(chunks), len(w.fields))
	}
	group := w.footer.AppendRowGroup()
	var plain int64
	for i, c := range chunks {
		if c.Field != w.fields[i] || c.Rows != chunks[0].Rows {
			return fmt.Errorf("column %q: a chunk of %q with %d rows", w.fields[i].Name, c.Field.Name, c.Rows)
		}
		if err := w.appendChunk(group.NextColumnChunk(), c); err != nil {
			return err
		}
		plain += c.plainSize
	}
	group.SetNumRows(chunks[0].Rows)
	w.rows += int64(chunks[0].Rows)
	w.groups++
	return group.Finish(plain, int16(w.groups-1))
}

func (w *Writer) appendChunk(meta *metadata.ColumnChunkMetaDataBuilder, c Chunk) error {
	start := w.sink.size
	if _, err := w.sink.Write(c.data); err != nil {
		return err
	}
	info := metadata.ChunkMetaInfo{
		NumValues: int64(c.Rows), IndexPageOffset: -1, DataPageOffset: start + c.pages,
		CompressedSize: int64(len(c.data)), UncompressedSize: c.plainSize,
	}
	if c.dictionary {
		info.DictPageOffset = start
	}
	if c.stats.IsSet() {
		meta.SetStats(c.stats)
	}
	return meta.Finish(info, c.dictionary, c.fallback, metadata.EncodingStats{}, nil)
}

// Close writes the footer. It does not close the writer underneath. Whatever
// the library says, an error of the writer underneath is returned.
func (w *Writer) Close(meta []KeyValue) (done Written, err error) {
	defer rescue("Parquet footer", &err)
	for _, kv := range meta {
		if err := w.footer.AppendKeyValueMetadata(kv.Key, kv.Value); err != nil {
			return Written{}, err
		}
	}
	if err := w.footer.AppendKeyValueMetadata(sealKey, noSeal); err != nil {
		return Written{}, err
	}
	footer, err := w.footer.Finish()
	if err != nil {
		return Written{}, err
	}
	var tail bytes.Buffer
	if _, err := footer.WriteTo(&tail, nil); err != nil {
		return Written{}, err
	}
	seal([sha256.Size]byte(w.sink.hash.Sum(nil)), tail.Bytes())
	length := binary.LittleEndian.AppendUint32(nil, uint32(tail.Len()))
	tail.Write(length)
	tail.WriteString(magic)
	w.sink.Write(tail.Bytes())
	return w.sink.written(w.rows), w.sink.err
}
