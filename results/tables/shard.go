package tables

import (
	"runtime"
	"slices"
	"sync"

	"mpf/results/columns"
	"mpf/results/parquet"
)

// A shard keeps the rows of a range of places: a row group.
type shard struct {
	key     shardKey
	keys    []place // of the encoded rows, then of the decoded ones
	encoded int     // rows that are in chunks alone
	chunks  []parquet.Chunk
	vectors []*columns.Vector // of the decoded rows, by index of column
	scanned int               // decoded rows whose kinds are known
	dropped map[place]bool
	dirty   bool // chunks lack something
	used    int64
}

func (sh *shard) begin(p place, width int) {
	if len(sh.vectors) == 0 {
		sh.encoded = len(sh.keys)
		sh.scanned = 0
	}
	for len(sh.vectors) < width {
		sh.vectors = append(sh.vectors, nil)
	}
	sh.keys = append(sh.keys, p)
	sh.dirty = true
}

// resident returns how many rows are decoded.
func (sh *shard) resident() int {
	if len(sh.vectors) == 0 {
		return 0
	}
	return len(sh.keys) - sh.encoded
}

// cell returns where the value of a column in the row begun last is put.
func (sh *shard) cell(c *column) *columns.Vector {
	for len(sh.vectors) <= c.index {
		sh.vectors = append(sh.vectors, nil)
	}
	v := sh.vectors[c.index]
	if v == nil {
		v = &columns.Vector{}
		sh.vectors[c.index] = v
	}
	v.Pad(sh.resident() - 1)
	return v
}

// encode brings the chunks of the columns up to date.
func (sh *shard) encode(s *store, cols []*column) error {
	for _, c := range cols {
		c.settle()
	}
	if sh.dirty {
		if err := sh.merge(s); err != nil {
			return err
		}
	}
	for len(sh.chunks) < len(s.columns) {
		sh.chunks = append(sh.chunks, parquet.Chunk{})
	}
	var stale []*column
	for _, c := range cols {
		if have := sh.chunks[c.index]; have.Rows != len(sh.keys) || have.Field != c.field() {
			stale = append(stale, c)
		}
	}
	return each(stale, sh.encodeColumn)
}

// each calls do for every item, side by side.
func each[T any](items []T, do func(T) error) error {
	errs := make([]error, len(items))
	next := make(chan int)
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(items)) {
		workers.Go(func() {
			for i := range next {
				errs[i] = do(items[i])
			}
		})
	}
	for i := range items {
		next <- i
	}
	close(next)
	workers.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func (c *column) field() parquet.Field {
	return parquet.Field{Name: c.Name, Type: c.Type, Distinct: c.Distinct}
}

func (sh *shard) encodeColumn(c *column) error {
	v, err := sh.values(c)
	if err != nil {
		return err
	}
	chunk, err := parquet.Encode(c.field(), columns.Convert(v, c.Type))
	sh.chunks[c.index] = chunk
	return err
}

// values returns a column of a shard that is merged.
func (sh *shard) values(c *column) (*columns.Vector, error) {
	if len(sh.vectors) > 0 {
		if c.index < len(sh.vectors) && sh.vectors[c.index] != nil {
			sh.vectors[c.index].Pad(len(sh.keys))
			return sh.vectors[c.index], nil
		}
		return columns.Nulls(len(sh.keys)), nil
	}
	return sh.decode(c, len(sh.keys))
}

// decode returns a column of the encoded rows.
func (sh *shard) decode(c *column, rows int) (*columns.Vector, error) {
	if c.index >= len(sh.chunks) || sh.chunks[c.index].Rows == 0 {
		return columns.Nulls(rows), nil
	}
	chunk := sh.chunks[c.index]
	if t := chunk.Field.Type; t == columns.Float && c.Mixed && c.mix.Has(columns.KindInt) {
		return nil, errRebuild
	}
	return parquet.Decode(chunk)
}

// merge makes one sorted set of the encoded and the decoded rows, all decoded.
func (sh *shard) merge(s *store) error {
	resident := sh.resident()
	merged := make([]*columns.Vector, len(s.columns))
	err := each(s.columns, func(c *column) (err error) {
		merged[c.index], err = sh.whole(c, len(sh.keys)-resident)
		return err
	})
	if err != nil {
		return err
	}
	order := sh.order(s.unique)
	if !inOrder(order) || len(order) < len(sh.keys) {
		for i, v := range merged {
			merged[i] = v.Pick(order)
		}
		keys := make([]place, len(order))
		for i, from := range order {
			keys[i] = sh.keys[from]
		}
		sh.keys = keys
	}
	s.loaded += len(sh.keys) - resident
	sh.vectors, sh.encoded, sh.scanned, sh.dropped, sh.dirty = merged, 0, len(sh.keys), nil, false
	sh.chunks = nil
	return nil
}

// whole returns a column of the encoded rows and the decoded ones after them.
func (sh *shard) whole(c *column, encoded int) (*columns.Vector, error) {
	added := &columns.Vector{}
	if c.index < len(sh.vectors) && sh.vectors[c.index] != nil {
		added = sh.vectors[c.index]
	}
	if encoded > 0 {
		v, err := sh.decode(c, encoded)
		if err != nil {
			return nil, err
		}
		v.Extend(added)
		added = v
	}
	added.Pad(len(sh.keys))
	return added, nil
}

// order returns which rows stay, in the order of their places.
func (sh *shard) order(unique bool) []int {
	order := make([]int, 0, len(sh.keys))
	for i, key := range sh.keys {
		if !sh.dropped[key] {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return sh.keys[a].compare(sh.keys[b]) })
	if !unique {
		return order
	}
	kept := order[:0]
	for i, row := range order {
		if i+1 < len(order) && sh.keys[order[i+1]].position == sh.keys[row].position {
			continue
		}
		kept = append(kept, row)
	}
	return kept
}

func inOrder(order []int) bool {
	for i, from := range order {
		if i != from {
			return false
		}
	}
	return true
}
