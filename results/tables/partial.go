package tables

import (
	"iter"
	"slices"
	"strings"

	"mpf/engine"
	"mpf/results/columns"
	"mpf/results/parquet"
)

// Partial collects readings of attempts that have no end: the columns of
// samples.parquet, then "partial", which is true. The offset of a host's clock is
// known once an attempt has ended, so times are the host's.
type Partial struct {
	frame columns.Frame
	fixed int // columns that are not extra readings
}

// NewPartial returns an empty collection.
func NewPartial() *Partial {
	p := &Partial{}
	p.frame.Columns = append(SampleColumns(), fixedColumn("partial", columns.Bool, columns.Outcome, "", "the attempt had no end when this was read: its last readings are missing"))
	p.fixed = len(p.frame.Columns)
	for range p.fixed {
		p.frame.Vectors = append(p.frame.Vectors, &columns.Vector{})
	}
	return p
}

// Add adds the readings of a host in an attempt until an error ends them.
func (p *Partial) Add(s engine.Start, host string, batches iter.Seq2[*parquet.Batch, error]) error {
	from := segment{run: s.Run.ID, attempt: s.Attempt, host: host, roles: rolesOf(s.Hosts, host)}
	for b, err := range batches {
		if err != nil {
			return err
		}
		if err := appendBatch(p.frame.Vectors[:p.fixed-1], from.run.String(), from, b); err != nil {
			return err
		}
		if err := p.extras(b); err != nil {
			return err
		}
	}
	return nil
}

// extras adds what is beside the usual columns of a batch. A reading may be the
// first that has an extra of its name.
func (p *Partial) extras(b *parquet.Batch) error {
	first := p.frame.Len() - b.Len()
	for i := range b.Len() {
		p.frame.Vectors[p.fixed-1].Add(true)
		extra, err := b.Extra(i)
		if err != nil {
			return err
		}
		for name, x := range extra {
			v := p.extra(name)
			pad(v, first+i)
			v.AddFloat(x)
		}
	}
	return nil
}

// extra returns the column of an extra reading.
func (p *Partial) extra(name string) *columns.Vector {
	for i, c := range p.frame.Columns[p.fixed:] {
		if c.Name == name {
			return p.frame.Vectors[p.fixed+i]
		}
	}
	v := &columns.Vector{}
	p.frame.Columns = append(p.frame.Columns, fixedColumn(name, columns.Float, columns.Outcome, "", "extra reading"))
	p.frame.Vectors = append(p.frame.Vectors, v)
	return v
}

// Frame returns what was collected, extra readings by name.
func (p *Partial) Frame() columns.Frame {
	order := make([]int, len(p.frame.Columns))
	for i, v := range p.frame.Vectors {
		order[i] = i
		pad(v, p.frame.Len())
	}
	slices.SortFunc(order[p.fixed:], func(a, b int) int {
		return strings.Compare(p.frame.Columns[a].Name, p.frame.Columns[b].Name)
	})
	return p.frame.Select(order)
}

// pad adds nulls up to a number of rows.
func pad(v *columns.Vector, rows int) {
	for v.Len() < rows {
		v.AddNull()
	}
}

func rolesOf(hosts []engine.RoleHost, host string) string {
	var roles []string
	for _, h := range hosts {
		if h.Host == host {
			roles = append(roles, h.Role)
		}
	}
	return strings.Join(roles, ",")
}
