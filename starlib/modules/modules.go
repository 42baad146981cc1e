package modules

import (
	"go.starlark.net/lib/math"
	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"

	"mpf/starlib/script"
)

// All returns the modules by name.
func All() starlark.StringDict {
	return starlark.StringDict{
		"json":   jsonModule(),
		"math":   math.Module,
		"re":     reModule(),
		"struct": starlark.NewBuiltin("struct", starlarkstruct.Make),
	}
}

// Docs documents the modules.
func Docs() []script.Doc {
	docs := []script.Doc{{
		Signature: "struct(**fields)",
		Text:      "A value with the named fields, read as `s.field`.",
		When:      "anywhere", Checks: "only named arguments are taken", Error: "`struct: unexpected positional arguments`",
	}}
	docs = append(docs, jsonDocs()...)
	docs = append(docs, script.Doc{
		Signature: "math",
		Text:      "Mathematical functions and constants: `ceil`, `copysign`, `fabs`, `floor`, `mod`, `pow`, `remainder`, `round`, `exp`, `sqrt`, `acos`, `asin`, `atan`, `atan2`, `cos`, `hypot`, `sin`, `tan`, `degrees`, `radians`, `acosh`, `asinh`, `atanh`, `cosh`, `sinh`, `tanh`, `log`, `gamma`, `e` and `pi`.",
		When:      "anywhere", Checks: "arguments are numbers", Error: "`sqrt: for parameter x: got string, want float or int`",
	})
	return append(docs, reDocs()...)
}
