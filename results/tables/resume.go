package tables

import (
	"errors"
	"io"
	"slices"

	"mpf/engine"
	"mpf/results/columns"
	"mpf/results/fsys"
	"mpf/results/parquet"
	"mpf/results/record"
)

// resume takes over the tables that an earlier invocation published, as its mark
// says, so that only later attempts need be derived. An error says why not; the
// publisher is of no use then until prepare has made it anew.
func (p *Publisher) resume(src record.Source) error {
	m, packed, err := readMark(p.tree)
	if err != nil {
		return err
	}
	if err := p.fits(m, src); err != nil {
		return err
	}
	for i, s := range []*store{p.runs.store, p.steps.store, p.usage.store} {
		if err := s.resume(p.tree, m.Tables[i], packed); err != nil {
			return err
		}
	}
	if err := p.runs.recall(len(p.plans) > 1); err != nil {
		return err
	}
	p.usage.recall(m)
	p.last, p.end, p.reboots = m.Last.Sequence, m.Last, m.Reboots
	return nil
}

// fits reports whether a mark is of this record.
func (p *Publisher) fits(m *mark, src record.Source) error {
	growing, ok := src.(Growing)
	if !ok || m.Version != markVersion || m.MPF != p.o.MPF || len(m.Tables) != 3 || m.Last.Sequence < 1 || len(m.Plans) != len(p.plans) {
		return errNoMark
	}
	for i, plan := range p.plans {
		if m.Plans[i] != plan.SHA256 {
			return errNoMark
		}
	}
	for a, err := range growing.AttemptsAfter(m.Last.Sequence - 1) {
		if err != nil {
			return err
		}
		if m.Last.is(a) {
			return nil
		}
		break
	}
	return errNoMark
}

// resume takes over the rows of a table.
func (s *store) resume(tree fsys.FS, t markedTable, packed io.ByteReader) (err error) {
	f, err := fsys.Open(tree, t.File.Path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return errNoMark
	}
	file, err := parquet.NewKnownFile(io.NewSectionReader(f, 0, info.Size()), parquet.Written{Size: t.File.Size, SHA256: t.File.SHA256})
	if err != nil {
		return err
	}
	if file.Groups() != len(t.Shards) {
		return errNoMark
	}
	places, err := s.resumeColumns(file, t.Columns)
	if err != nil {
		return err
	}
	for group, m := range t.Shards {
		if file.GroupRows(group) != m.Rows {
			return errNoMark
		}
		if err := s.resumeShard(file, group, m, places, packed); err != nil {
			return err
		}
	}
	return nil
}

// resumeColumns adds the columns that were found late, and returns where each
// column stands in the file.
func (s *store) resumeColumns(file *parquet.File, marked []markedColumn) ([]int, error) {
	places := make([]int, len(marked))
	for i, m := range marked {
		if i >= len(s.columns) && m.Group == undeclared {
			s.undeclared(m.Script)
		}
		if i >= len(s.columns) || s.columns[i].script != m.Script || s.columns[i].group != m.Group {
			return nil, errNoMark
		}
		c := s.columns[i]
		places[i] = slices.IndexFunc(file.Fields(), func(f parquet.Field) bool { return f.Name == m.Name })
		if places[i] < 0 || c.typed && c.Type != m.Type {
			return nil, errNoMark
		}
		c.Name, c.Type, c.mix = m.Name, m.Type, m.Mix
		if c.group == undeclared {
			c.first = place{plan: int(m.First[0]), position: m.First[1], index: int(m.First[2])}
		}
	}
	if len(marked) != len(s.columns) || len(marked) != len(file.Fields()) {
		return nil, errNoMark
	}
	return places, nil
}

func (s *store) resumeShard(file *parquet.File, group int, m markedShard, places []int, packed io.ByteReader) (err error) {
	sh := &shard{store: s, key: shardKey{m.Plan, m.Number}, encoded: m.Rows, chunks: make([]parquet.Chunk, len(s.columns))}
	if sh.keys, err = unpack(packed, m.Rows); err != nil {
		return err
	}
	for i, c := range s.columns {
		if sh.chunks[i], err = file.Chunk(group, places[i], c.field()); err != nil {
			return err
		}
	}
	s.shards[sh.key] = sh
	return nil
}

// recall finds the rows that may yet move and counts those that are settled.
// Only where there are earlier plans may rows lie outside the design.
func (t *runTable) recall(judged bool) error {
	status, run, orphaned := t.fixed("status"), t.fixed("run_id"), t.fixed("orphaned")
	for _, sh := range t.shards {
		if !judged && sh.chunks[status.index].Holds(string(engine.OK)) {
			t.settled += int64(len(sh.keys))
			continue
		}
		var vectors [3]*columns.Vector
		for i, c := range []*column{status, run, orphaned} {
			v, err := parquet.Decode(sh.chunks[c.index])
			if err != nil {
				return err
			}
			vectors[i] = v
		}
		for i, k := range sh.keys {
			if err := t.recallRow(sh.key, k, engine.Status(vectors[0].Text(i)), vectors[1].Text(i), vectors[2].Word(i) != 0); err != nil {
				return err
			}
		}
	}
	return nil
}

func (t *runTable) recallRow(at shardKey, k key, status engine.Status, run string, outside bool) error {
	settled := !outside && !status.Resumes()
	if settled {
		t.settled++
	}
	if status == engine.OK {
		return nil
	}
	id, err := engine.ParseRunID(run)
	if err != nil {
		return err
	}
	offset, attempt, index := k.parts()
	t.shown[id] = shownRow{place{at.plan, at.number*t.span + int64(offset), int(attempt), int(index)}, settled, 0}
	return nil
}

// fixed returns a fixed column.
func (s *store) fixed(name string) *column {
	return s.columns[slices.IndexFunc(s.columns, func(c *column) bool { return c.group == fixed && c.script == name })]
}
