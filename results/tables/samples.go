package tables

import (
	"context"
	"errors"
	"math"
	"slices"

	"mpf/results/columns"
	"mpf/results/fsys"
	"mpf/results/parquet"
)

// SampleColumns lists the columns of samples.parquet: a row a reading. Extra
// readings follow, each in a column of its name.
func SampleColumns() []columns.Column {
	list := []columns.Column{
		fixedColumn("run_id", columns.String, columns.Identity, "", "the run; joins the other tables"),
		fixedColumn("attempt", columns.Int, columns.Identity, "", "attempt of the run, from 1"),
		fixedColumn("role", columns.String, columns.Identity, "", "roles that the host played, joined by commas"),
		fixedColumn("host", columns.String, columns.Identity, "", "the host"),
		distinct(fixedColumn("time", columns.Time, columns.Outcome, "", "the host's clock, corrected to the controller's by the measured offset")),
		distinct(fixedColumn("mono", columns.Float, columns.Outcome, "s", "the host's monotonic clock")),
		distinct(fixedColumn("took", columns.Float, columns.Outcome, "s", "how long the reading took")),
		fixedColumn("cpus", columns.Int, columns.Outcome, "", "CPUs online"),
	}
	for _, n := range columns.ReadingColumns() {
		list = append(list, n.Column)
	}
	return list
}

// sampleWriter writes samples.parquet in bounded memory: while a row group is
// filled, the one before is encoded.
type sampleWriter struct {
	w       *parquet.Writer
	encoder *parquet.Encoder
	fields  []parquet.Field
	numbers int // of a reading, without extras
	extras  []string
	filling []*columns.Vector
	leaving *sampleGroup // or nil
	rows    int64
}

// A sampleGroup is a row group that is encoded in the background.
type sampleGroup struct {
	vectors []*columns.Vector
	chunks  []parquet.Chunk
	done    chan error
}

func (p *Publisher) publishSamples(ctx context.Context, segments []segment) (parquet.Written, error) {
	sw := &sampleWriter{encoder: p.encoder, numbers: len(columns.ReadingColumns())}
	described := SampleColumns()
	for name := range p.usage.extras {
		sw.extras = append(sw.extras, name)
	}
	slices.Sort(sw.extras)
	scratch := newStore(p.encoder, 1, false)
	for _, c := range described {
		scratch.add(c, fixed, true)
	}
	for _, name := range sw.extras {
		scratch.add(columns.ExtraColumn(name), undeclared, true)
	}
	ordered := scratch.ordered()
	for _, c := range ordered {
		sw.fields = append(sw.fields, c.field())
	}
	return replace(p.tree, SamplesFile, sw.fields, func(w *parquet.Writer) ([]parquet.KeyValue, error) {
		sw.w = w
		err := sw.putAll(ctx, p.tree, segments)
		return p.metadata(SamplesFile, describe(ordered), sw.rows), err
	})
}

func (sw *sampleWriter) putAll(ctx context.Context, tree fsys.FS, segments []segment) (err error) {
	defer func() { err = errors.Join(err, sw.finish()) }()
	sw.filling = newVectors(len(sw.fields))
	for _, s := range segments {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := sw.put(tree, s); err != nil {
			return err
		}
	}
	return sw.flush()
}

func newVectors(n int) []*columns.Vector {
	vectors := make([]*columns.Vector, n)
	for i := range vectors {
		vectors[i] = &columns.Vector{}
		vectors[i].Grow(2 * rowsOfShard)
	}
	return vectors
}

func (sw *sampleWriter) put(tree fsys.FS, s segment) error {
	id := s.run.String()
	for b, err := range s.batches(tree) {
		if err != nil {
			return err
		}
		if err := sw.add(id, s, b); err != nil {
			return err
		}
		if sw.filling[0].Len() >= 2*rowsOfShard {
			if err := sw.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (sw *sampleWriter) add(id string, s segment, b *parquet.Batch) error {
	if err := appendBatch(sw.filling[:8+sw.numbers], id, s, b); err != nil {
		return err
	}
	return sw.addExtras(sw.filling[8+sw.numbers:], b)
}

// appendBatch fills the columns of SampleColumns.
func appendBatch(v []*columns.Vector, id string, s segment, b *parquet.Batch) error {
	if b.Len() == 0 {
		return nil
	}
	v[0].AddText(id)
	v[1].AddInt(int64(s.attempt))
	v[2].AddText(s.roles)
	v[3].AddText(s.host)
	for _, same := range v[:4] {
		same.Repeat(b.Len() - 1)
	}
	return b.Append(v[4:], s.clock.Offset)
}

func (sw *sampleWriter) addExtras(to []*columns.Vector, b *parquet.Batch) error {
	if len(sw.extras) == 0 {
		return nil
	}
	for i := range b.Len() {
		extra, err := b.Extra(i)
		if err != nil {
			return err
		}
		for c, name := range sw.extras {
			if x, ok := extra[name]; ok && !math.IsNaN(x) {
				to[c].AddFloat(x)
			} else {
				to[c].AddNull()
			}
		}
	}
	return nil
}

// flush begins to encode a row group, after the one before is written.
func (sw *sampleWriter) flush() error {
	var room []*columns.Vector
	if sw.leaving != nil {
		room = sw.leaving.vectors
	}
	if err := sw.finish(); err != nil || sw.filling[0].Len() == 0 {
		return err
	}
	g := &sampleGroup{vectors: sw.filling, chunks: make([]parquet.Chunk, len(sw.fields)), done: make(chan error, 1)}
	sw.leaving, sw.filling = g, room
	if room == nil {
		sw.filling = newVectors(len(sw.fields))
	}
	go func() { g.done <- sw.encode(g) }()
	return nil
}

func (sw *sampleWriter) encode(g *sampleGroup) error {
	places := make([]int, len(sw.fields))
	for i := range places {
		places[i] = i
	}
	return each(places, func(i int) (err error) {
		g.chunks[i], err = sw.encoder.Encode(sw.fields[i], g.vectors[i])
		return err
	})
}

// finish writes the row group that is encoded in the background.
func (sw *sampleWriter) finish() error {
	g := sw.leaving
	if g == nil {
		return nil
	}
	sw.leaving = nil
	if err := <-g.done; err != nil {
		return err
	}
	sw.rows += int64(g.vectors[0].Len())
	for _, v := range g.vectors {
		v.Clear()
	}
	return sw.w.Append(g.chunks)
}
