// Package flags reads the values of an experiment's own flags, which a command
// line gives as text.
//
// Invariant: a value has the type of the flag's default. It deliberately does not
// know which flags there are.
package flags

import (
	"math"
	"strconv"
	"strings"

	"mpf/engine"
	"mpf/starlib/script"
)

// Parse reads text as a value of the default's type.
func Parse(text string, fallback engine.Value) (engine.Value, error) {
	var v engine.Value
	var err error
	switch fallback.(type) {
	case bool:
		v, err = strconv.ParseBool(strings.ToLower(text))
	case int64:
		v, err = strconv.ParseInt(text, 0, 64)
	case float64:
		var f float64
		f, err = strconv.ParseFloat(text, 64)
		if math.IsNaN(f) {
			err = strconv.ErrSyntax
		}
		v = f
	case []engine.Value:
		var items []engine.Value
		for word := range strings.SplitSeq(text, ",") {
			items = append(items, word)
		}
		return items, nil
	default:
		return text, nil
	}
	if err != nil {
		return fallback, script.Problemf("got %q, want %s", text, typeName(fallback))
	}
	return v, nil
}

func typeName(v engine.Value) string {
	switch v.(type) {
	case bool:
		return "true or false"
	case int64:
		return "int"
	}
	return "float"
}
