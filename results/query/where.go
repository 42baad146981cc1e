package query

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"mpf/engine"
	"mpf/engine/spelling"
	"mpf/results/columns"
)

// A Condition is one comparison of a column with values.
type Condition struct {
	column string
	op     string
	values []string
	match  *regexp.Regexp // of ~ and !~
}

// Column returns the name of the column that is compared.
func (c Condition) Column() string { return c.column }

// ParseCondition reads NAME OP VALUE, with = != < <= > >= ~ or !~ for OP. After
// = and != several values may stand, parted by commas; ~ takes a regular
// expression. The value null is the absent one.
func ParseCondition(text string) (Condition, error) {
	at := strings.IndexAny(text, "=!<>~")
	if at <= 0 {
		return Condition{}, fmt.Errorf("condition %q: has no comparison (write it like parallel=4, goodput>1e9 or message~refused)", text)
	}
	c := Condition{column: strings.TrimSpace(text[:at])}
	rest := text[at:]
	for _, op := range []string{"!=", "<=", ">=", "!~", "==", "=", "<", ">", "~"} {
		if strings.HasPrefix(rest, op) {
			c.op, rest = op, strings.TrimSpace(rest[len(op):])
			break
		}
	}
	switch c.op {
	case "":
		return c, fmt.Errorf("condition %q: no comparison begins with %q", text, rest[:1])
	case "~", "!~":
		var err error
		if c.match, err = regexp.Compile(rest); err != nil {
			return c, fmt.Errorf("condition %q: %w", text, err)
		}
	case "=", "==", "!=":
		if c.values = strings.Split(rest, ","); len(c.values) > 1 {
			c.values = append(c.values, rest) // a value may have commas itself
		}
	default:
		c.values = []string{rest}
		if _, err := strconv.ParseFloat(rest, 64); err != nil {
			return c, fmt.Errorf("condition %q: %q is not a number", text, rest)
		}
	}
	return c, nil
}

// Where returns the rows for which all conditions hold.
func Where(f columns.Frame, conditions []Condition) (columns.Frame, error) {
	places := make([]int, len(conditions))
	for i, c := range conditions {
		var err error
		if places[i], err = find(f, c.column); err != nil {
			return f, err
		}
	}
	if len(conditions) == 0 {
		return f, nil
	}
	var rows []int
	for row := range f.Len() {
		holds := true
		for i, c := range conditions {
			holds = holds && c.holds(f.Vectors[places[i]].At(row))
		}
		if holds {
			rows = append(rows, row)
		}
	}
	return f.Pick(rows), nil
}

// find returns the index of a column, or says which name comes close.
func find(f columns.Frame, name string) (int, error) {
	if i := f.Find(name); i >= 0 {
		return i, nil
	}
	var names []string
	for _, c := range f.Columns {
		names = append(names, c.Name)
	}
	if best := spelling.Nearest(name, names); best != "" {
		return -1, fmt.Errorf("column %q: there is none (did you mean %q?)", name, best)
	}
	return -1, fmt.Errorf("column %q: there is none", name)
}

func (c Condition) holds(v engine.Value) bool {
	switch c.op {
	case "=", "==":
		return c.any(v)
	case "!=":
		return !c.any(v)
	case "~":
		return v != nil && c.match.MatchString(Text(v))
	case "!~":
		return v == nil || !c.match.MatchString(Text(v))
	}
	x, ok := Number(v)
	limit, err := strconv.ParseFloat(c.values[0], 64)
	if !ok || err != nil {
		return false
	}
	order := cmp.Compare(x, limit)
	switch c.op {
	case "<":
		return order < 0
	case "<=":
		return order <= 0
	case ">":
		return order > 0
	}
	return order >= 0
}

func (c Condition) any(v engine.Value) bool {
	for _, want := range c.values {
		if equal(v, strings.TrimSpace(want)) {
			return true
		}
	}
	return false
}

func equal(v engine.Value, want string) bool {
	if v == nil {
		return want == "null" || want == "none" || want == ""
	}
	if x, ok := Number(v); ok {
		y, err := strconv.ParseFloat(want, 64)
		return err == nil && (x == y || math.IsNaN(x) && math.IsNaN(y))
	}
	if b, ok := v.(bool); ok {
		return strings.EqualFold(want, strconv.FormatBool(b))
	}
	return Text(v) == want
}

// Number returns a value as a float, if it is a number.
func Number(v engine.Value) (float64, bool) {
	switch v := v.(type) {
	case int64:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}

// Text returns a value as a table shows it; a null is empty.
func Text(v engine.Value) string {
	switch v := v.(type) {
	case nil:
		return ""
	case time.Time:
		return v.Format("2006-01-02T15:04:05.000Z07:00")
	}
	return engine.FormatValue(v)
}
