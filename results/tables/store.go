package tables

import (
	"cmp"
	"errors"
	"slices"

	"mpf/results/columns"
	"mpf/results/parquet"
)

// errRebuild is returned where values that were encoded as one type are wanted
// as another that would need what they were before.
var errRebuild = errors.New("the table must be derived anew")

// A store keeps the rows of one table.
type store struct {
	span    int64 // positions of a shard
	budget  int   // rows that are kept decoded
	unique  bool  // a place has one row: the one of its last attempt
	columns []*column
	byName  map[string]*column // variables and results, by the script's name
	shards  map[shardKey]*shard
	loaded  int // rows that are kept decoded
	encoder *parquet.Encoder
	free    []*columns.Vector // emptied ones
	clock   int64             // for finding the shard that was used longest ago
	recent  *shard            // of the row begun last
	leaving *departure        // or nil
	failed  error             // of the shard that left last
}

// A departure is a shard whose rows are encoded in the background, after which
// they are let go.
type departure struct {
	shard *shard
	jobs  []*job
	done  chan error
}

// A column is a column of a store.
type column struct {
	columns.Column
	index  int
	script string // the script's name for it
	group  group
	first  place // of the columns of a group
	mix    columns.Mix
	typed  bool // the type is known and never changes
}

// A place is where a row stands in its table.
type place struct {
	plan     int
	position int64 // in the plan
	attempt  int
	index    int // among the rows of the attempt
}

func (p place) compare(q place) int {
	return cmp.Or(cmp.Compare(p.plan, q.plan), cmp.Compare(p.position, q.position),
		cmp.Compare(p.attempt, q.attempt), cmp.Compare(p.index, q.index))
}

// A key is a place within a shard, small because there is one for every row:
// 20 bits of offset, 20 of attempt, 24 of index.
type key uint64

func (s *store) keyOf(p place, in shardKey) key {
	offset := p.position - in.number*s.span
	return key(offset)<<44 | key(p.attempt&(1<<20-1))<<24 | key(p.index&(1<<24-1))
}

// position returns the part of the key that all attempts of a run share.
func (k key) position() key { return k >> 44 }

type shardKey struct {
	plan   int
	number int64
}

func newStore(encoder *parquet.Encoder, span int64, unique bool) *store {
	return &store{
		span: span, budget: rowsOfShard + rowsOfShard/4, unique: unique, encoder: encoder,
		byName: map[string]*column{}, shards: map[shardKey]*shard{},
	}
}

// rowsOfShard is about how many rows a row group has.
const rowsOfShard = 16_384

// A group of columns stands together in a table.
type group int

const (
	fixed group = iota
	hosts
	variables
	declared
	undeclared
)

// add adds a column, whose name may yet change: see nameColumns.
func (s *store) add(c columns.Column, g group, typed bool) *column {
	added := &column{Column: c, index: len(s.columns), script: c.Name, group: g, typed: typed}
	added.first.position = int64(len(s.columns))
	s.columns = append(s.columns, added)
	return added
}

// shardOf returns the key of the shard of a place.
func (s *store) shardOf(p place) shardKey {
	number := p.position / s.span
	if p.position%s.span < 0 {
		number--
	}
	return shardKey{p.plan, number}
}

// begin starts a row. Values are put into the cells of the shard that is
// returned before end is called.
func (s *store) begin(p place) *shard {
	at := s.shardOf(p)
	sh := s.recent
	if sh == nil || sh.key != at {
		sh = s.shards[at]
	}
	if s.leaves(sh) {
		s.failed = s.finish()
	}
	if sh == nil {
		sh = &shard{store: s, key: at}
		s.shards[at] = sh
	}
	s.recent = sh
	sh.begin(s.keyOf(p, at), len(s.columns))
	s.clock++
	sh.used = s.clock
	s.loaded++
	return sh
}

// end ends the row that was begun last; when too many rows are kept decoded,
// the shards used longest ago are encoded and let go.
func (s *store) end() error {
	if s.loaded <= s.budget || s.failed != nil {
		return s.failed
	}
	for s.loaded > s.budget/2 {
		oldest := s.oldest()
		if oldest == nil {
			return nil
		}
		if err := s.evict(oldest); err != nil {
			return err
		}
	}
	return nil
}

func (s *store) oldest() *shard {
	var oldest *shard
	for _, sh := range s.shards {
		if len(sh.vectors) > 0 && !s.leaves(sh) && (oldest == nil || sh.used < oldest.used) {
			oldest = sh
		}
	}
	return oldest
}

func (s *store) leaves(sh *shard) bool { return s.leaving != nil && s.leaving.shard == sh }

// evict begins to encode a shard in the background. One is encoded at a time.
func (s *store) evict(sh *shard) error {
	if err := s.finish(); err != nil {
		return err
	}
	s.scan(sh)
	jobs, err := sh.jobs(s.columns)
	if err != nil {
		return err
	}
	d := &departure{shard: sh, jobs: jobs, done: make(chan error, 1)}
	go func() { d.done <- each(jobs, s.do) }()
	s.leaving = d
	s.loaded -= sh.resident()
	return nil
}

// finish waits for the shard that is encoded in the background.
func (s *store) finish() error {
	d := s.leaving
	if d == nil {
		return nil
	}
	s.leaving = nil
	if err := <-d.done; err != nil {
		return err
	}
	d.shard.keep(d.jobs)
	s.recycle(d.shard)
	return nil
}

// release lets the decoded rows of a shard go, which are encoded.
func (s *store) release(sh *shard) {
	s.loaded -= sh.resident()
	s.recycle(sh)
}

func (s *store) recycle(sh *shard) {
	for _, v := range sh.vectors {
		if v != nil && len(s.free) < len(s.columns) {
			v.Clear()
			s.free = append(s.free, v)
		}
	}
	sh.vectors = nil
}

// vector returns an empty vector.
func (s *store) vector() *columns.Vector {
	n := len(s.free)
	if n == 0 {
		return &columns.Vector{}
	}
	v := s.free[n-1]
	s.free = s.free[:n-1]
	return v
}

// drop removes the row of a place: a later attempt has a row elsewhere.
func (s *store) drop(p place) {
	if err := s.finish(); err != nil {
		s.failed = err
	}
	at := s.shardOf(p)
	if sh := s.shards[at]; sh != nil {
		if sh.dropped == nil {
			sh.dropped = map[key]key{}
		}
		k := s.keyOf(p, at)
		sh.dropped[k.position()] = max(k, sh.dropped[k.position()])
		sh.dirty = true
	}
}

// scan joins the kinds of values that were added to a shard.
func (s *store) scan(sh *shard) {
	for i, v := range sh.vectors {
		if v != nil && !s.columns[i].typed {
			s.columns[i].mix.Add(v, min(sh.scanned, v.Len()))
		}
	}
	sh.scanned = sh.resident()
}

// settle fixes the type of every column for now.
func (s *store) settle() {
	for _, sh := range s.shards {
		s.scan(sh)
	}
	for _, c := range s.columns {
		c.settle()
	}
}

func (c *column) settle() {
	if !c.typed {
		c.Type, c.Mixed = c.mix.Type()
	}
}

// ordered returns the columns as they stand in the file.
func (s *store) ordered() []*column {
	ordered := slices.Clone(s.columns)
	slices.SortStableFunc(ordered, func(a, b *column) int {
		return cmp.Or(cmp.Compare(a.group, b.group), a.first.compare(b.first), cmp.Compare(a.script, b.script))
	})
	nameColumns(ordered)
	return ordered
}

// sorted returns the shards in the order of their places.
func (s *store) sorted() []*shard {
	shards := make([]*shard, 0, len(s.shards))
	for _, sh := range s.shards {
		shards = append(shards, sh)
	}
	slices.SortFunc(shards, func(a, b *shard) int {
		return cmp.Or(cmp.Compare(a.key.plan, b.key.plan), cmp.Compare(a.key.number, b.key.number))
	})
	return shards
}
