package act

import (
	"context"
	"fmt"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"mpf/engine"
	"mpf/starlib/convert"
	"mpf/starlib/script"
)

// GatherNames lists the ways to gather that have a name.
var GatherNames = [...]string{"list", "sum", "mean", "min", "max"}

// Gather makes one result of what the hosts of a role returned: by name, or by
// a function of values, or of name and values.
func Gather(how string, fn *starlark.Function, columns *Columns, limits script.Limits) engine.GatherFunc {
	return func(ctx context.Context, name string, values []engine.Value) (engine.Value, error) {
		var v engine.Value
		var err error
		if fn != nil {
			v, err = gatherBy(ctx, fn, limits, name, values)
		} else {
			v, err = gatherAs(how, name, values)
		}
		if err != nil {
			return nil, err
		}
		return columns.Conform(name, v)
	}
}

func gatherBy(ctx context.Context, fn *starlark.Function, limits script.Limits, name string, values []engine.Value) (engine.Value, error) {
	args := starlark.Tuple{convert.Starlark(values)}
	if fn.NumParams() == 2 {
		args = starlark.Tuple{starlark.String(name), args[0]}
	}
	v, err := script.Run(ctx, "gather", limits, func(th *starlark.Thread) (starlark.Value, error) {
		return starlark.Call(th, fn, args, nil)
	})
	if err != nil {
		failure := classify(ctx, &Function{Name: "gather"}, err)
		failure.Trace = script.Trace(err)
		return nil, failure
	}
	plain, err := convert.Plain(v)
	if err != nil {
		return nil, badResult("result %q: gathered: %v", name, err)
	}
	return plain, nil
}

func gatherAs(how, name string, values []engine.Value) (engine.Value, error) {
	if how == "list" {
		return values, nil
	}
	return reduce(how, name, values)
}

// reduce computes over numbers: exactly over ints, else over floats. A host
// that returned None is left out.
func reduce(how, name string, values []engine.Value) (engine.Value, error) {
	var numbers []starlark.Value
	for _, v := range values {
		switch v.(type) {
		case nil:
		case int64, float64:
			numbers = append(numbers, convert.Starlark(v))
		default:
			return nil, badResult("result %q: gather = %q wants numbers, got %s", name, how, typeOf(v))
		}
	}
	if len(numbers) == 0 {
		return nil, nil
	}
	v, err := fold(how, numbers)
	if err != nil {
		return nil, badResult("result %q: %v", name, err)
	}
	plain, err := convert.Plain(v)
	if err != nil {
		return nil, badResult("result %q: gather = %q: %v", name, how, err)
	}
	return plain, nil
}

func fold(how string, numbers []starlark.Value) (starlark.Value, error) {
	total := numbers[0]
	for _, n := range numbers[1:] {
		var err error
		if total, err = combine(how, total, n); err != nil {
			return nil, err
		}
	}
	if how != "mean" {
		return total, nil
	}
	sum, ok := starlark.AsFloat(total)
	if !ok {
		return nil, fmt.Errorf("no mean of %s", total.Type())
	}
	return starlark.Float(sum / float64(len(numbers))), nil
}

// combine takes one more number into a sum or an extreme.
func combine(how string, a, b starlark.Value) (starlark.Value, error) {
	switch how {
	case "sum", "mean":
		return starlark.Binary(syntax.PLUS, a, b)
	case "min":
		less, err := starlark.Compare(syntax.LT, b, a)
		if less {
			return b, err
		}
		return a, err
	}
	greater, err := starlark.Compare(syntax.GT, b, a)
	if greater {
		return b, err
	}
	return a, err
}
