package tables

import (
	"context"
	"math"
	"slices"

	"mpf/engine"
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

// sampleWriter writes samples.parquet in bounded memory.
type sampleWriter struct {
	w       *parquet.Writer
	encoder *parquet.Encoder
	fields  []parquet.Field
	vectors []*columns.Vector
	numbers []columns.ReadingColumn
	extras  []string
	rows    int64
}

func (p *Publisher) publishSamples(ctx context.Context) (parquet.Written, error) {
	sw := &sampleWriter{encoder: p.encoder, numbers: columns.ReadingColumns()}
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
		scratch.add(distinct(fixedColumn(name, columns.Float, columns.Outcome, "", "extra reading")), undeclared, true)
	}
	ordered := scratch.ordered()
	for _, c := range ordered {
		sw.fields = append(sw.fields, c.field())
	}
	segments := slices.Clone(p.usage.segments)
	slices.SortStableFunc(segments, func(a, b segment) int { return a.at.compare(b.at) })
	return replace(p.tree, SamplesFile, sw.fields, func(w *parquet.Writer) ([]parquet.KeyValue, error) {
		sw.w = w
		for _, s := range segments {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if err := sw.put(p.tree, s); err != nil {
				return nil, err
			}
		}
		err := sw.flush()
		return p.metadata(SamplesFile, describe(ordered), sw.rows), err
	})
}

func (sw *sampleWriter) put(tree fsys.FS, s segment) error {
	id := s.run.String()
	for r, err := range s.readings(tree) {
		if err != nil {
			return err
		}
		if len(sw.vectors) == 0 {
			sw.vectors = make([]*columns.Vector, len(sw.fields))
			for i := range sw.vectors {
				sw.vectors[i] = &columns.Vector{}
			}
		}
		sw.add(id, s, r)
		if sw.vectors[0].Len() == 2*rowsOfShard {
			if err := sw.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (sw *sampleWriter) add(id string, s segment, r *engine.Reading) {
	v := sw.vectors
	v[0].AddText(id)
	v[1].AddInt(int64(s.attempt))
	v[2].AddText(s.roles)
	v[3].AddText(s.host)
	v[4].AddTime(r.Wall.Add(s.clock.Offset))
	v[5].AddFloat(r.Mono.Seconds())
	v[6].AddFloat(r.Took.Seconds())
	v[7].AddInt(int64(r.CPUs))
	for i, n := range sw.numbers {
		switch {
		case n.Int != nil && *n.Int(r) >= 0:
			v[8+i].AddInt(*n.Int(r))
		case n.Float != nil && !math.IsNaN(*n.Float(r)):
			v[8+i].AddFloat(*n.Float(r))
		default:
			v[8+i].AddNull()
		}
	}
	for i, name := range sw.extras {
		if x, ok := r.Extra[name]; ok {
			v[8+len(sw.numbers)+i].AddFloat(x)
		} else {
			v[8+len(sw.numbers)+i].AddNull()
		}
	}
}

// flush writes a row group.
func (sw *sampleWriter) flush() error {
	if len(sw.vectors) == 0 {
		return nil
	}
	chunks := make([]parquet.Chunk, len(sw.fields))
	places := make([]int, len(sw.fields))
	for i := range places {
		places[i] = i
	}
	err := each(places, func(i int) (err error) {
		chunks[i], err = sw.encoder.Encode(sw.fields[i], sw.vectors[i])
		return err
	})
	if err != nil {
		return err
	}
	sw.rows += int64(sw.vectors[0].Len())
	sw.vectors = nil
	return sw.w.Append(chunks)
}
