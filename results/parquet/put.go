package parquet

import (
	"bytes"
	"fmt"
	"slices"
	"unsafe"

	apache "github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/file"

	"mpf/results/columns"
)

// A scratch is memory that one encoding leaves to the next.
type scratch struct {
	out     bytes.Buffer
	packed  []byte
	levels  []int16
	words   []uint64
	bools   []bool
	texts   []apache.ByteArray
	indices []int32
}

// put writes a whole vector into a column of the library.
func (s *scratch) put(column file.ColumnChunkWriter, v *columns.Vector) error {
	words := s.present(v)
	var err error
	switch w := column.(type) {
	case *file.BooleanColumnChunkWriter:
		s.bools = s.bools[:0]
		for _, word := range words {
			s.bools = append(s.bools, word != 0)
		}
		_, err = w.WriteBatch(s.bools, s.levels, nil)
	case *file.Int64ColumnChunkWriter:
		_, err = w.WriteBatch(as[int64](words), s.levels, nil)
	case *file.Float64ColumnChunkWriter:
		_, err = w.WriteBatch(as[float64](words), s.levels, nil)
	case *file.ByteArrayColumnChunkWriter:
		err = s.putTexts(w, v.Texts(), words)
	default:
		err = fmt.Errorf("no column of type %s is written", column.Type())
	}
	if err != nil {
		return err
	}
	return column.Close()
}

// present returns the bits of the values that are no nulls, and sets the levels,
// which say where they are.
func (s *scratch) present(v *columns.Vector) []uint64 {
	n := v.Len()
	s.levels = slices.Grow(s.levels[:0], n)[:n]
	kind, uniform := v.Uniform()
	words := v.Words()
	switch {
	case uniform && kind == columns.KindNull:
		clear(s.levels)
		return nil
	case uniform:
		for i := range s.levels {
			s.levels[i] = 1
		}
		if len(words) == n {
			return words
		}
		s.words = s.words[:0]
		for range n {
			s.words = append(s.words, words[0])
		}
		return s.words
	}
	s.words = s.words[:0]
	for i, word := range words {
		s.levels[i] = 0
		if v.Kind(i) != columns.KindNull {
			s.levels[i] = 1
			s.words = append(s.words, word)
		}
	}
	return s.words
}

// as takes bits for what they are the bits of.
func as[T int64 | float64](words []uint64) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(words))), len(words))
}
