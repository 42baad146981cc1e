package engine

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// A Value is what a level, a parameter or a result holds: nil, bool, int64,
// float64, string, or []Value of these. A level that carries a label of its own
// may hold anything else as well, known to the package that supplies the steps.
type Value = any

// IsPlain reports whether v is one of the types that a record can hold.
func IsPlain(v Value) bool {
	switch v := v.(type) {
	case nil, bool, int64, float64, string:
		return true
	case []Value:
		for _, item := range v {
			if !IsPlain(item) {
				return false
			}
		}
		return true
	}
	return false
}

// FormatValue prints a plain value as people write it: it is the label of a
// level that was given none. A float that is whole keeps its point, so that 1
// and 1.0 are told apart.
func FormatValue(v Value) string {
	switch v := v.(type) {
	case nil:
		return "none"
	case bool:
		return strconv.FormatBool(v)
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return FormatFloat(v)
	case string:
		return v
	case []Value:
		items := make([]string, len(v))
		for i, item := range v {
			items[i] = FormatValue(item)
		}
		return "[" + strings.Join(items, ",") + "]"
	}
	return fmt.Sprint(v)
}

// FormatFloat prints the shortest text that reads back as f, with a point or an
// exponent in it.
func FormatFloat(f float64) string {
	text := strconv.FormatFloat(f, 'g', -1, 64)
	if math.IsInf(f, 0) || math.IsNaN(f) || strings.ContainsAny(text, ".e") {
		return text
	}
	return text + ".0"
}
