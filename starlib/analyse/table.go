package analyse

import (
	"math"
	"slices"

	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"

	"mpf/engine"
	"mpf/starlib/convert"
	"mpf/starlib/script"
)

func (s *Session) table(c *script.Call) (starlark.Value, error) {
	var name string
	var rows starlark.Iterable
	if err := c.Unpack("name", &name, "rows", &rows); err != nil {
		return nil, err
	}
	if name == "" || slices.ContainsFunc(s.Tables, func(t Table) bool { return t.Name == name }) {
		return nil, script.Problemf("table %q: the name is taken or empty", name).Mend("give each table a name of its own")
	}
	t := Table{Name: name, Pos: c.Pos()}
	places := map[string]int{}
	for row := range starlark.Elements(rows) {
		if err := t.add(row, places); err != nil {
			return nil, script.Problemf("table %q: row %d: %v", name, len(t.Rows)+1, err)
		}
	}
	for i, row := range t.Rows { // columns that later rows brought
		t.Rows[i] = append(row, make([]engine.Value, len(t.Columns)-len(row))...)
	}
	s.Tables = append(s.Tables, t)
	return starlark.None, nil
}

func (t *Table) add(row starlark.Value, places map[string]int) error {
	mapping, ok := row.(starlark.IterableMapping)
	if !ok {
		return script.Problemf("got %s, want a dict of column -> value", row.Type())
	}
	cells := make([]engine.Value, len(t.Columns))
	for _, item := range mapping.Items() {
		column, ok := starlark.AsString(item[0])
		if !ok || column == "" {
			return script.Problemf("got %s for a column's name, want string", item[0].Type())
		}
		value, err := convert.Plain(item[1])
		if err != nil {
			return script.Problemf("column %q: %v", column, err)
		}
		place, known := places[column]
		if !known {
			place = len(t.Columns)
			places[column] = place
			t.Columns = append(t.Columns, column)
			cells = append(cells, nil)
		}
		cells[place] = value
	}
	t.Rows = append(t.Rows, cells)
	return nil
}

func (s *Session) describe(c *script.Call) (starlark.Value, error) {
	var values starlark.Iterable
	confidence := 0.95
	if err := c.Unpack("values", &values, "confidence?", &confidence); err != nil {
		return nil, err
	}
	if confidence <= 0 || confidence >= 1 {
		return nil, script.Problemf("describe: confidence %v is not between 0 and 1", confidence)
	}
	numbers, err := numbersOf(values)
	if err != nil {
		return nil, err
	}
	fields := starlark.StringDict{"n": starlark.MakeInt(len(numbers))}
	for _, statistic := range s.Describe(numbers, confidence) {
		fields[statistic.Name] = starlark.None
		if !math.IsNaN(statistic.Value) {
			fields[statistic.Name] = starlark.Float(statistic.Value)
		}
	}
	return starlarkstruct.FromStringDict(starlarkstruct.Default, fields), nil
}

// numbersOf leaves None and NaN out.
func numbersOf(values starlark.Iterable) ([]float64, error) {
	var numbers []float64
	i := 0
	for v := range starlark.Elements(values) {
		x, ok := starlark.AsFloat(v)
		if !ok && v != starlark.None {
			return nil, script.Problemf("describe: item %d: got %s, want a number or None", i, v.Type())
		}
		if ok && !math.IsNaN(x) {
			numbers = append(numbers, x)
		}
		i++
	}
	return numbers, nil
}
