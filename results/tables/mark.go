package tables

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"encoding/json"
	"errors"
	"hash/crc32"
	"io"

	"mpf/engine"
	"mpf/results/columns"
	"mpf/results/fsys"
	"mpf/results/record"
)

// MarkFile is where a publisher that goes on notes what it published.
const MarkFile = "tables.idx"

const (
	markVersion = 3
	maxMark     = 256 << 20
)

// A mark says what the tables beside it hold and how they came about, so that
// the next invocation goes on from them. It is derived: one that does not fit
// the record or the tables is of no use, and all is derived anew. It is a line of
// JSON, the compressed places of all rows, and a checksum.
type mark struct {
	Version int
	MPF     string
	Plans   []string // hashes
	Last    lastAttempt
	Reboots int // that the rows of those attempts tell of
	Tables  []markedTable

	Extras   []string
	Segments int      // that are in samples.parquet
	Damaged  []string // folders and names of those that cannot be read
	Warnings []engine.Warning
}

// A lastAttempt is the last one that the tables cover. Its nonce is no other's,
// so a record that has it at the same place is the one that the tables are of.
type lastAttempt struct {
	Sequence int64
	Run      engine.RunID
	Attempt  int
	Nonce    string
}

func (l lastAttempt) is(a *record.Attempt) bool { return l == lastOf(a) }

func lastOf(a *record.Attempt) lastAttempt {
	return lastAttempt{a.Sequence, a.Start.Run.ID, a.Start.Attempt, a.Start.Nonce}
}

type markedTable struct {
	File    record.File
	Columns []markedColumn // as the store has them
	Shards  []markedShard  // a row group each
}

type markedColumn struct {
	Script string
	Group  group
	Name   string // in the file
	Type   columns.Type
	Mix    columns.Mix
	First  [3]int64 // plan, position, index
}

type markedShard struct {
	Plan   int
	Number int64
	Rows   int
}

// markOf returns what a store says of its table, which was just published.
func (s *store) markOf(file record.File) markedTable {
	t := markedTable{File: file}
	for _, c := range s.columns {
		t.Columns = append(t.Columns, markedColumn{
			Script: c.script, Group: c.group, Name: c.Name, Type: c.Type, Mix: c.mix,
			First: [3]int64{int64(c.first.plan), c.first.position, int64(c.first.index)},
		})
	}
	for _, sh := range s.sorted() {
		if len(sh.keys) > 0 {
			t.Shards = append(t.Shards, markedShard{sh.key.plan, sh.key.number, len(sh.keys)})
		}
	}
	return t
}

// mark notes what was published.
func (p *Publisher) mark() error {
	if p.end.Nonce == "" {
		return nil // nothing tells this record from another
	}
	m := mark{Version: markVersion, MPF: p.o.MPF, Last: p.end, Reboots: p.reboots, Segments: p.usage.count, Damaged: p.usage.damaged, Warnings: p.usage.warnings}
	for _, plan := range p.plans {
		m.Plans = append(m.Plans, plan.SHA256)
	}
	for name := range p.usage.extras {
		m.Extras = append(m.Extras, name)
	}
	stores := []*store{p.runs.store, p.steps.store, p.usage.store}
	for i, s := range stores {
		m.Tables = append(m.Tables, s.markOf(p.report.Tables[i]))
	}
	data, err := m.encode(stores)
	if err != nil {
		return err
	}
	return fsys.WriteFile(p.tree, MarkFile, data)
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func (m *mark) encode(stores []*store) ([]byte, error) {
	head, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	out := bytes.NewBuffer(append(head, '\n'))
	z, err := flate.NewWriter(out, flate.BestSpeed)
	if err != nil {
		return nil, err
	}
	var packed []byte
	for _, s := range stores {
		for _, sh := range s.sorted() {
			packed = sh.pack(packed[:0])
			if _, err := z.Write(packed); err != nil {
				return nil, err
			}
		}
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return binary.LittleEndian.AppendUint32(out.Bytes(), crc32.Checksum(out.Bytes(), castagnoli)), nil
}

// pack appends the keys of a shard: of each what its position goes on by, its
// attempt and its index.
func (sh *shard) pack(b []byte) []byte {
	var before uint64
	for _, k := range sh.keys {
		offset, attempt, index := k.parts()
		b = binary.AppendUvarint(b, offset-before)
		b = binary.AppendUvarint(b, attempt)
		b = binary.AppendUvarint(b, index)
		before = offset
	}
	return b
}

func (k key) parts() (offset, attempt, index uint64) {
	return uint64(k >> 44), uint64(k>>24) & (1<<20 - 1), uint64(k) & (1<<24 - 1)
}

// unpack reads keys that pack wrote.
func unpack(r io.ByteReader, n int) ([]key, error) {
	keys := make([]key, 0, min(n, 4*rowsOfShard))
	var offset uint64
	for range n {
		var parts [3]uint64
		for i := range parts {
			var err error
			if parts[i], err = binary.ReadUvarint(r); err != nil {
				return nil, err
			}
		}
		offset += parts[0]
		keys = append(keys, key(offset)<<44|key(parts[1])<<24|key(parts[2]))
	}
	return keys, nil
}

var errNoMark = errors.New("no mark that fits")

// readMark returns the mark beside the tables and a reader of the keys.
func readMark(tree fsys.FS) (*mark, io.ByteReader, error) {
	data, err := fsys.ReadFile(tree, MarkFile, maxMark)
	if err != nil {
		return nil, nil, err
	}
	n := len(data) - crc32.Size
	if n < 0 || crc32.Checksum(data[:n], castagnoli) != binary.LittleEndian.Uint32(data[n:]) {
		return nil, nil, errNoMark
	}
	head, packed, _ := bytes.Cut(data[:n], []byte("\n"))
	m := &mark{}
	if err := json.Unmarshal(head, m); err != nil {
		return nil, nil, err
	}
	return m, newReader(flate.NewReader(bytes.NewReader(packed))), nil
}
