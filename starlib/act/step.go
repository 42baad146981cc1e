package act

import (
	"context"

	"go.starlark.net/starlark"

	"mpf/engine"
	"mpf/starlib/convert"
	"mpf/starlib/script"
)

// A Function is a function of an experiment file that hosts execute.
type Function struct {
	Name   string
	Call   *starlark.Function
	Params []Param
	Folder string // of the experiment; local paths are relative to it

	// Columns are the declared results; nil where nothing is returned.
	Columns *Columns
	// Gathered says that results are checked once they are gathered.
	Gathered bool
	Limits   script.Limits
}

// A Param is a parameter that is supplied by name.
type Param struct {
	Name     string
	Variable int // index of the variable, or IsContext
}

// IsContext marks the parameter that gets the ctx.
const IsContext = -1

// Step makes a step of f.
func (f *Function) Step() engine.StepFunc {
	return func(ctx context.Context, rc *engine.RunContext) (engine.Results, error) {
		limits := f.Limits
		limits.Print = func(_ engine.Pos, text string) { rc.Journal.Log(text) }
		var results engine.Results
		_, err := script.Run(ctx, f.Name, limits, func(th *starlark.Thread) (starlark.Value, error) {
			c := newContext(script.Context(th), rc, f.Folder)
			defer func() {
				if !script.Left(th) {
					c.endSpans()
				}
			}()
			v, err := starlark.Call(th, f.Call, nil, f.arguments(c))
			if err != nil {
				return nil, err
			}
			results, err = f.results(v)
			return nil, err
		})
		if err != nil {
			return nil, failureOf(ctx, rc, f, err)
		}
		return results, nil
	}
}

func (f *Function) arguments(c *Context) []starlark.Tuple {
	kwargs := make([]starlark.Tuple, len(f.Params))
	for i, p := range f.Params {
		var v starlark.Value = c
		if p.Variable != IsContext {
			v = convert.Starlark(c.rc.Run.Treatment.Value(c.rc.Experiment.Variables, p.Variable))
		}
		kwargs[i] = starlark.Tuple{starlark.String(p.Name), v}
	}
	return kwargs
}
