package engine

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"sort"
)

// An Identifier computes the run IDs of one experiment and seed.
//
// The ID is the first 128 bits of SHA-256 over "mpf-run-1", the experiment's
// name, the seed, the replicate and, for each variable that is present, sorted
// by name, its name, its label and its value. Values are tagged by type, so
// that 1 and 1.0 differ; a value that is not plain counts by its label alone.
// Position, order, rank and host never count: adding a level, a replicate or a
// conditional variable moves no run that exists already.
type Identifier struct {
	prefix []byte
	vars   []identified
}

// identified is a variable with its levels' bytes made once.
type identified struct {
	index  int
	levels [][]byte
}

// NewIdentifier prepares the IDs of the runs of an experiment.
func NewIdentifier(experiment string, seed int64, vars []Variable) *Identifier {
	id := &Identifier{prefix: appendText([]byte("mpf-run-1"), experiment)}
	id.prefix = binary.BigEndian.AppendUint64(id.prefix, uint64(seed))
	for i, v := range vars {
		id.vars = append(id.vars, identified{index: i, levels: levelBytes(v)})
	}
	sort.Slice(id.vars, func(a, b int) bool {
		return vars[id.vars[a].index].Name < vars[id.vars[b].index].Name
	})
	return id
}

// Identify returns the ID of one replicate, counted from 1, of a treatment.
func (id *Identifier) Identify(t Treatment, replicate int) RunID {
	var buffer [512]byte
	b := append(buffer[:0], id.prefix...)
	b = binary.BigEndian.AppendUint64(b, uint64(replicate))
	for _, v := range id.vars {
		if level := t[v.index]; level != Absent {
			b = append(b, v.levels[level]...)
		}
	}
	sum := sha256.Sum256(b)
	return RunID(sum[:16])
}

func levelBytes(v Variable) [][]byte {
	levels := make([][]byte, len(v.Levels))
	for i, level := range v.Levels {
		b := appendText(nil, v.Name)
		b = appendText(b, level.Label)
		levels[i] = AppendCanonical(b, level.Value, level.Label)
	}
	return levels
}

// AppendCanonical appends the tagged bytes of a value: n; b and a byte; i and 8
// bytes; f and the IEEE bits, -0 as 0; s and the text; l, the count and the
// items. Lengths are 4 bytes, integers big-endian. A value that is not plain is
// o and its label.
func AppendCanonical(b []byte, v Value, label string) []byte {
	switch v := v.(type) {
	case nil:
		return append(b, 'n')
	case bool:
		if v {
			return append(b, 'b', 1)
		}
		return append(b, 'b', 0)
	case int64:
		return binary.BigEndian.AppendUint64(append(b, 'i'), uint64(v))
	case float64:
		if v == 0 {
			v = 0 // -0 and 0 are one level
		}
		return binary.BigEndian.AppendUint64(append(b, 'f'), math.Float64bits(v))
	case string:
		return appendText(append(b, 's'), v)
	case []Value:
		b = binary.BigEndian.AppendUint32(append(b, 'l'), uint32(len(v)))
		for _, item := range v {
			b = AppendCanonical(b, item, label)
		}
		return b
	}
	return appendText(append(b, 'o'), label)
}

func appendText(b []byte, text string) []byte {
	return append(binary.BigEndian.AppendUint32(b, uint32(len(text))), text...)
}
