package script

import (
	"errors"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"mpf/engine"
)

// Pos converts a position of the library.
func Pos(p syntax.Position) engine.Pos {
	return engine.Pos{File: p.Filename(), Line: int(p.Line), Col: int(p.Col)}
}

// Trace lists the places of the script that err went through, innermost last.
// Where one file loaded another it goes on in the loaded one.
func Trace(err error) []engine.Pos {
	var trace []engine.Pos
	for err != nil {
		var at *starlark.EvalError
		if !errors.As(err, &at) {
			break
		}
		for _, frame := range at.CallStack {
			if frame.Pos.Line > 0 {
				trace = append(trace, Pos(frame.Pos))
			}
		}
		err = at.Unwrap()
	}
	return trace
}

// Innermost returns the error that a builtin or the interpreter raised, without
// the frames around it.
func Innermost(err error) error {
	for {
		var at *starlark.EvalError
		if !errors.As(err, &at) {
			return err
		}
		under := at.Unwrap()
		if under == nil {
			return errors.New(at.Msg)
		}
		err = under
	}
}
