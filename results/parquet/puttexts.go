package parquet

import (
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/bitutil"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/apache/arrow/go/v15/parquet/file"
	"github.com/apache/arrow/go/v15/parquet/metadata"
)

const (
	// maxDictionary is how many texts a dictionary may have to be made here, and
	// maxDictionaryText how long one may be: they stay far below the library's
	// limit, so that it need not give a dictionary up on the way.
	maxDictionary     = 256
	maxDictionaryText = 1 << 10
	// maxOnePage is up to how many places surely fit into one page.
	maxOnePage = 1 << 16
)

// putTexts writes texts, given as places in a list.
func (s *scratch) putTexts(w *file.ByteArrayColumnChunkWriter, texts []string, places []uint64) error {
	encoder, ok := w.CurrentEncoder().(dictionaryEncoder)
	if ok && len(places) > 0 && len(s.levels) <= maxOnePage && s.index(texts, places) {
		return s.putIndices(w, encoder)
	}
	s.texts = s.texts[:0]
	for _, place := range places {
		s.texts = append(s.texts, bytesOf(texts[place]))
	}
	_, err := w.WriteBatch(s.texts, s.levels, nil)
	clear(s.texts)
	return err
}

// A dictionaryEncoder is the library's encoder of a column with a dictionary.
type dictionaryEncoder interface{ PutDictionary(arrow.Array) error }

// index makes a dictionary of the texts, in the order of their first appearance,
// and the index of each level's text in it. The library would hash every text
// instead. False says that the texts are too many or too long.
func (s *scratch) index(texts []string, places []uint64) bool {
	if len(texts) > maxDictionary {
		return false
	}
	var known [maxDictionary]int32 // by place: 1 + index
	s.texts, s.indices = s.texts[:0], s.indices[:0]
	next := 0
	for _, level := range s.levels {
		if level == 0 {
			s.indices = append(s.indices, 0)
			continue
		}
		place := places[next]
		next++
		if known[place] == 0 {
			if len(texts[place]) > maxDictionaryText || s.repeated(texts[place]) {
				return false
			}
			s.texts = append(s.texts, bytesOf(texts[place]))
			known[place] = int32(len(s.texts))
		}
		s.indices = append(s.indices, known[place]-1)
	}
	return true
}

// repeated reports whether a text is in the dictionary already: a list may hold
// the same twice.
func (s *scratch) repeated(text string) bool {
	for _, t := range s.texts {
		if string(t) == text {
			return true
		}
	}
	return false
}

func (s *scratch) putIndices(w *file.ByteArrayColumnChunkWriter, encoder dictionaryEncoder) error {
	b := array.NewStringBuilder(memory.NewGoAllocator())
	defer b.Release()
	for _, text := range s.texts {
		b.Append(string(text))
	}
	dictionary := b.NewArray()
	defer dictionary.Release()
	if err := encoder.PutDictionary(dictionary); err != nil {
		return err
	}
	indices := s.indexArray()
	defer indices.Release()
	if stats, ok := w.PageStatistics().(*metadata.ByteArrayStatistics); ok {
		stats.Update(s.texts, int64(indices.NullN()))
	}
	clear(s.texts)
	return w.WriteDictIndices(indices, s.levels, nil)
}

// indexArray returns the indices as the library wants them: null where there is
// no value.
func (s *scratch) indexArray() arrow.Array {
	nulls := 0
	var valid *memory.Buffer
	for i, level := range s.levels {
		if level != 0 {
			continue
		}
		if nulls++; nulls == 1 {
			bits := make([]byte, bitutil.BytesForBits(int64(len(s.levels))))
			bitutil.SetBitsTo(bits, 0, int64(len(s.levels)), true)
			valid = memory.NewBufferBytes(bits)
		}
		bitutil.ClearBit(valid.Bytes(), i)
	}
	values := memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(s.indices))
	data := array.NewData(arrow.PrimitiveTypes.Int32, len(s.indices), []*memory.Buffer{valid, values}, nil, nulls, 0)
	defer data.Release()
	return array.MakeFromData(data)
}
