package code

import (
	"errors"
	"slices"

	"go.starlark.net/starlark"
)

// A missing value stands for a name that is used and not there, while a file
// that has mistakes is looked at further. It has every method.
type missing struct{}

var (
	_ starlark.HasAttrs = missing{}
	_ starlark.Callable = missing{}
)

func (missing) String() string        { return "missing" }
func (missing) Type() string          { return "missing" }
func (missing) Freeze()               {}
func (missing) Truth() starlark.Bool  { return true }
func (missing) Hash() (uint32, error) { return 0, errors.New("unhashable: missing") }
func (missing) Name() string          { return "missing" }
func (missing) AttrNames() []string   { return nil }

func (missing) Attr(string) (starlark.Value, error) { return missing{}, nil }

func (missing) CallInternal(*starlark.Thread, starlark.Tuple, []starlark.Tuple) (starlark.Value, error) {
	return missing{}, nil
}

// WithMissing adds the missing names to those that a file finds.
func WithMissing(names starlark.StringDict, absent []string) starlark.StringDict {
	if len(absent) == 0 {
		return names
	}
	all := make(starlark.StringDict, len(names)+len(absent))
	for name, v := range names {
		all[name] = v
	}
	for _, name := range absent {
		all[name] = missing{}
	}
	return all
}

// HoldsMissing reports whether an argument is missing, or a list or dict that
// holds one: what a builtin says of it is no mistake of its own.
func HoldsMissing(values ...starlark.Value) bool {
	return slices.ContainsFunc(values, func(v starlark.Value) bool {
		switch v := v.(type) {
		case missing:
			return true
		case *starlark.List:
			return HoldsMissing(slices.Collect(v.Elements())...)
		case starlark.Tuple:
			return HoldsMissing(v...)
		case *starlark.Dict:
			for _, item := range v.Items() {
				if HoldsMissing(item[1]) {
					return true
				}
			}
		}
		return false
	})
}
