package tables

import (
	"cmp"
	"errors"
	"slices"

	"mpf/results/columns"
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
	loaded  int   // rows that are kept decoded
	clock   int64 // for finding the shard that was used longest ago
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
	position int64
	ordinal  int64
}

func (p place) compare(q place) int {
	return cmp.Or(cmp.Compare(p.plan, q.plan), cmp.Compare(p.position, q.position), cmp.Compare(p.ordinal, q.ordinal))
}

type shardKey struct {
	plan   int
	number int64
}

func newStore(span int64, unique bool) *store {
	return &store{
		span: span, budget: 2 * rowsOfShard, unique: unique,
		byName: map[string]*column{}, shards: map[shardKey]*shard{},
	}
}

// rowsOfShard is about how many rows a row group has.
const rowsOfShard = 32_768

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

// key returns the shard of a place.
func (s *store) key(p place) shardKey {
	number := p.position / s.span
	if p.position%s.span < 0 {
		number--
	}
	return shardKey{p.plan, number}
}

// begin starts a row. Values are put into the cells of the shard that is
// returned before end is called.
func (s *store) begin(p place) *shard {
	key := s.key(p)
	sh := s.shards[key]
	if sh == nil {
		sh = &shard{key: key}
		s.shards[key] = sh
	}
	sh.begin(p, len(s.columns))
	s.clock++
	sh.used = s.clock
	s.loaded++
	return sh
}

// end ends the row that was begun last; when too many rows are kept decoded,
// the shards used longest ago are encoded and let go.
func (s *store) end() error {
	if s.loaded <= s.budget {
		return nil
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
		if len(sh.vectors) > 0 && (oldest == nil || sh.used < oldest.used) {
			oldest = sh
		}
	}
	return oldest
}

func (s *store) evict(sh *shard) error {
	s.scan(sh)
	if err := sh.encode(s, s.columns); err != nil {
		return err
	}
	s.loaded -= sh.resident()
	sh.vectors = nil
	return nil
}

// drop removes the row of a place: a later attempt has a row elsewhere.
func (s *store) drop(p place) {
	if sh := s.shards[s.key(p)]; sh != nil {
		if sh.dropped == nil {
			sh.dropped = map[place]bool{}
		}
		sh.dropped[p] = true
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
