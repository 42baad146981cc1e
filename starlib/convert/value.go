package convert

import (
	"errors"
	"fmt"
	"unicode/utf8"

	"go.starlark.net/starlark"

	"mpf/engine"
)

// maxDepth bounds lists within lists; it also ends cyclic ones.
const maxDepth = 32

// ErrNotPlain says that a value is none that a record can hold.
var ErrNotPlain = errors.New("want None, bool, int, float, string or a list of these")

// Plain converts a value to one that a record can hold.
func Plain(v starlark.Value) (engine.Value, error) { return plain(v, 0) }

func plain(v starlark.Value, depth int) (engine.Value, error) {
	switch v := v.(type) {
	case starlark.NoneType:
		return nil, nil
	case starlark.Bool:
		return bool(v), nil
	case starlark.Int:
		return int64Of(v)
	case starlark.Float:
		return float64(v), nil
	case starlark.String:
		if !utf8.ValidString(string(v)) {
			return nil, errors.New("text is not UTF-8: keep it in a file, or hex-encode it")
		}
		return string(v), nil
	case *starlark.List:
		return plainList(v, depth)
	case starlark.Tuple:
		return plainList(v, depth)
	}
	return nil, fmt.Errorf("got %s, %w", v.Type(), ErrNotPlain)
}

func int64Of(v starlark.Int) (engine.Value, error) {
	i, ok := v.Int64()
	if !ok {
		return nil, errors.New("integer does not fit in 64 bits: use float(x) or str(x)")
	}
	return i, nil
}

func plainList(v starlark.Indexable, depth int) (engine.Value, error) {
	if depth >= maxDepth {
		return nil, fmt.Errorf("lists are nested deeper than %d", maxDepth)
	}
	items := make([]engine.Value, v.Len())
	for i := range items {
		item, err := plain(v.Index(i), depth+1)
		if err != nil {
			return nil, fmt.Errorf("item %d: %w", i, err)
		}
		items[i] = item
	}
	return items, nil
}

// Starlark converts a value of the engine. What is a Starlark value already, as
// a labelled level may be, passes unchanged; lists come out frozen.
func Starlark(v engine.Value) starlark.Value {
	switch v := v.(type) {
	case nil:
		return starlark.None
	case bool:
		return starlark.Bool(v)
	case int64:
		return starlark.MakeInt64(v)
	case float64:
		return starlark.Float(v)
	case string:
		return starlark.String(v)
	case []engine.Value:
		items := make([]starlark.Value, len(v))
		for i, item := range v {
			items[i] = Starlark(item)
		}
		list := starlark.NewList(items)
		list.Freeze()
		return list
	case starlark.Value:
		return v
	}
	return starlark.String(fmt.Sprint(v))
}
