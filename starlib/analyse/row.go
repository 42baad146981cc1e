package analyse

import (
	"fmt"
	"strings"

	"go.starlark.net/starlark"

	"mpf/engine/spelling"
	"mpf/starlib/convert"
	"mpf/starlib/script"
)

// A source is the table that rows are of.
type source struct {
	Rows
	places map[string]int
}

func newSource(rows Rows) *source {
	s := &source{rows, map[string]int{}}
	for i, name := range rows.Names {
		s.places[name] = i
	}
	return s
}

// A Row is a row of a table. Its cells are converted when they are asked for.
type Row struct {
	source *source
	row    int
}

var (
	_ starlark.HasAttrs        = (*Row)(nil)
	_ starlark.Mapping         = (*Row)(nil)
	_ starlark.IterableMapping = (*Row)(nil)
)

func (r *Row) Type() string          { return "row" }
func (r *Row) Freeze()               {}
func (r *Row) Truth() starlark.Bool  { return true }
func (r *Row) Hash() (uint32, error) { return uint32(r.row), nil }

func (r *Row) String() string {
	words := make([]string, len(r.source.Names))
	for i, name := range r.source.Names {
		words[i] = name + " = " + r.at(i).String()
	}
	return "row(" + strings.Join(words, ", ") + ")"
}

func (r *Row) at(column int) starlark.Value { return convert.Starlark(r.source.At(r.row, column)) }

// AttrNames implements starlark.HasAttrs.
func (r *Row) AttrNames() []string { return r.source.Names }

// Attr implements starlark.HasAttrs.
func (r *Row) Attr(name string) (starlark.Value, error) {
	if i, ok := r.source.places[name]; ok {
		return r.at(i), nil
	}
	p := script.Problemf("row: no column %q", name)
	if near := spelling.Nearest(name, r.source.Names); near != "" {
		return nil, p.Mend("did you mean %q?", near)
	}
	return nil, p
}

// Get implements starlark.Mapping.
func (r *Row) Get(key starlark.Value) (v starlark.Value, found bool, err error) {
	name, ok := starlark.AsString(key)
	if !ok {
		return nil, false, fmt.Errorf("row: got %s for a column's name, want string", key.Type())
	}
	if i, ok := r.source.places[name]; ok {
		return r.at(i), true, nil
	}
	return nil, false, nil
}

// Iterate implements starlark.Iterable.
func (r *Row) Iterate() starlark.Iterator {
	names := make(starlark.Tuple, len(r.source.Names))
	for i, name := range r.source.Names {
		names[i] = starlark.String(name)
	}
	return names.Iterate()
}

// Items implements starlark.IterableMapping.
func (r *Row) Items() []starlark.Tuple {
	items := make([]starlark.Tuple, len(r.source.Names))
	for i, name := range r.source.Names {
		items[i] = starlark.Tuple{starlark.String(name), r.at(i)}
	}
	return items
}
