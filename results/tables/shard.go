package tables

import (
	"cmp"
	"runtime"
	"slices"
	"sync"

	"mpf/results/columns"
	"mpf/results/parquet"
)

// A shard keeps the rows of a range of places: a row group.
type shard struct {
	store   *store
	key     shardKey
	keys    []key // of the encoded rows, then of the decoded ones
	encoded int   // rows that are in chunks alone
	chunks  []parquet.Chunk
	vectors []*columns.Vector // of the decoded rows, by index of column
	scanned int               // decoded rows whose kinds are known
	dropped map[key]key       // by position: the last row of it that goes, with all before it
	dirty   bool              // chunks lack something
	used    int64
}

func (sh *shard) begin(k key, width int) {
	if len(sh.vectors) == 0 {
		sh.encoded = len(sh.keys)
		sh.scanned = 0
	}
	for len(sh.vectors) < width {
		sh.vectors = append(sh.vectors, nil)
	}
	sh.keys = append(sh.keys, k)
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
	if c.index < len(sh.vectors) && sh.vectors[c.index] != nil {
		v := sh.vectors[c.index]
		v.Pad(len(sh.keys) - sh.encoded - 1)
		return v
	}
	for len(sh.vectors) <= c.index {
		sh.vectors = append(sh.vectors, nil)
	}
	v := sh.store.vector()
	v.Pad(sh.resident() - 1)
	sh.vectors[c.index] = v
	return v
}

// A job is a chunk that is to be encoded.
type job struct {
	index  int
	field  parquet.Field
	values *columns.Vector // nil: nulls
	rows   int
	chunk  parquet.Chunk
}

// encode brings the chunks of the columns up to date.
func (sh *shard) encode(cols []*column) error {
	jobs, err := sh.jobs(cols)
	if err != nil {
		return err
	}
	if err := each(jobs, sh.store.do); err != nil {
		return err
	}
	sh.keep(jobs)
	return nil
}

// jobs lists the chunks that must be encoded to bring the columns up to date.
func (sh *shard) jobs(cols []*column) ([]*job, error) {
	for _, c := range cols {
		c.settle()
	}
	if sh.dirty {
		if err := sh.merge(); err != nil {
			return nil, err
		}
	}
	for len(sh.chunks) < len(sh.store.columns) {
		sh.chunks = append(sh.chunks, parquet.Chunk{})
	}
	var jobs []*job
	for _, c := range cols {
		if have := sh.chunks[c.index]; have.Rows == len(sh.keys) && have.Field == c.field() {
			continue
		}
		v, err := sh.values(c)
		if err != nil {
			return nil, err
		}
		jobs = append(jobs, &job{index: c.index, field: c.field(), values: v, rows: len(sh.keys)})
	}
	return jobs, nil
}

// keep takes the chunks of jobs that are done.
func (sh *shard) keep(jobs []*job) {
	for _, j := range jobs {
		sh.chunks[j.index] = j.chunk
	}
}

// do encodes one chunk.
func (s *store) do(j *job) (err error) {
	if j.values == nil {
		j.chunk, err = s.encoder.EncodeNulls(j.field, j.rows)
	} else {
		j.chunk, err = s.encoder.Encode(j.field, columns.Convert(j.values, j.field.Type))
	}
	return err
}

// each calls do for every item, side by side.
func each[T any](items []T, do func(T) error) error {
	if len(items) == 1 {
		return do(items[0])
	}
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

// values returns a column of a shard that is merged, nil if it holds nulls only.
func (sh *shard) values(c *column) (*columns.Vector, error) {
	if len(sh.vectors) > 0 {
		if c.index < len(sh.vectors) && sh.vectors[c.index] != nil {
			sh.vectors[c.index].Pad(len(sh.keys))
			return sh.vectors[c.index], nil
		}
		return nil, nil
	}
	return sh.decode(c)
}

// decode returns a column of the encoded rows, nil if it holds nulls only.
func (sh *shard) decode(c *column) (*columns.Vector, error) {
	if c.index >= len(sh.chunks) || sh.chunks[c.index].Rows == 0 {
		return nil, nil
	}
	chunk := sh.chunks[c.index]
	if t := chunk.Field.Type; t == columns.Float && c.Mixed && c.mix.Has(columns.KindInt) {
		return nil, errRebuild
	}
	return parquet.Decode(chunk)
}

// merge makes one sorted set of the encoded and the decoded rows, all decoded.
func (sh *shard) merge() error {
	s := sh.store
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
			if v != nil {
				merged[i] = v.Pick(order)
			}
		}
		keys := make([]key, len(order))
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

// whole returns a column of the encoded rows and the decoded ones after them,
// nil if it holds nulls only.
func (sh *shard) whole(c *column, encoded int) (*columns.Vector, error) {
	var added *columns.Vector
	if c.index < len(sh.vectors) {
		added = sh.vectors[c.index]
	}
	if encoded > 0 {
		v, err := sh.decode(c)
		if err != nil {
			return nil, err
		}
		if v == nil && added != nil {
			v = columns.Nulls(encoded)
		}
		if added != nil {
			v.Extend(added)
		}
		added = v
	}
	if added != nil {
		added.Pad(len(sh.keys))
	}
	return added, nil
}

// order returns which rows stay, in the order of their places.
func (sh *shard) order(unique bool) []int {
	order := make([]int, 0, len(sh.keys))
	for i, k := range sh.keys {
		if last, ok := sh.dropped[k.position()]; !ok || k > last {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(sh.keys[a], sh.keys[b]) })
	if !unique {
		return order
	}
	kept := order[:0]
	for i, row := range order {
		if i+1 < len(order) && sh.keys[order[i+1]].position() == sh.keys[row].position() {
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
