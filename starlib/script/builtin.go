package script

import (
	"fmt"
	"runtime/debug"
	"slices"
	"strings"

	"go.starlark.net/starlark"

	"mpf/engine"
	"mpf/engine/spelling"
)

// A Doc documents a builtin or an attribute.
type Doc struct {
	Signature string // in script syntax, defaults included
	Text      string // one sentence
	When      string // when it may be called
	Checks    string // what it checks and freezes
	Error     string // what its error looks like
}

// Name is the signature without its parameters.
func (d Doc) Name() string {
	name, _, _ := strings.Cut(d.Signature, "(")
	return name
}

// Word is the last part of the name: "run" of "ctx.run".
func (d Doc) Word() string {
	name := d.Name()
	return name[strings.LastIndexByte(name, '.')+1:]
}

// Params lists the parameters that can be given by name, and whether others can
// be given too.
func (d Doc) Params() (names []string, open bool) {
	_, list, found := strings.Cut(strings.TrimSuffix(d.Signature, ")"), "(")
	if !found || list == "" {
		return nil, false
	}
	for param := range strings.SplitSeq(list, ", ") {
		name, _, _ := strings.Cut(param, " = ")
		open = open || strings.HasPrefix(name, "**")
		if !strings.HasPrefix(name, "*") {
			names = append(names, name)
		}
	}
	return names, open
}

// A Call is one call of a builtin by a script.
type Call struct {
	Thread *starlark.Thread
	Name   string
	Args   starlark.Tuple
	Kwargs []starlark.Tuple
}

// A Func is what a builtin does.
type Func func(c *Call) (starlark.Value, error)

// New makes a builtin. A panic in do becomes an error.
func New(doc Doc, do Func) *starlark.Builtin {
	name := doc.Word()
	return starlark.NewBuiltin(name, func(th *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (v starlark.Value, err error) {
		defer func() {
			if p := recover(); p != nil {
				v, err = nil, fmt.Errorf("%s: fault in mpf: %v\n%s", name, p, debug.Stack())
			}
		}()
		return do(&Call{Thread: th, Name: name, Args: args, Kwargs: kwargs})
	})
}

// Unpack assigns the arguments to pairs of a parameter's name and a pointer, as
// starlark.UnpackArgs does. Unknown keywords are an error only after the known
// ones were assigned, so that the caller may look at these all the same.
func (c *Call) Unpack(pairs ...any) error {
	names := make([]string, 0, len(pairs)/2)
	for i := 0; i < len(pairs); i += 2 {
		names = append(names, strings.TrimRight(pairs[i].(string), "?"))
	}
	known := make([]starlark.Tuple, 0, len(c.Kwargs))
	var unknown error
	for _, kv := range c.Kwargs {
		keyword := string(kv[0].(starlark.String))
		if slices.Contains(names, keyword) {
			known = append(known, kv)
		} else if unknown == nil {
			unknown = NoParameter(c.Name, keyword, names)
		}
	}
	if err := starlark.UnpackArgs(c.Name, c.Args, known, pairs...); err != nil {
		return err
	}
	return unknown
}

// NoParameter says that a builtin has no parameter of a name, and which it has.
func NoParameter(builtin, keyword string, names []string) *Problem {
	p := Problemf("%s: no parameter %q", builtin, keyword)
	if near := spelling.Nearest(keyword, names); near != "" {
		return p.Mend("did you mean %q?", near)
	}
	if len(names) == 0 {
		return p.Mend("it has none")
	}
	return p.Mend("its parameters: %s", strings.Join(names, ", "))
}

// Pos is where the script calls.
func (c *Call) Pos() engine.Pos { return Pos(c.Thread.CallFrame(1).Pos) }

// A Problem is a mistake that a builtin found in its call.
type Problem struct {
	Message string
	Hint    string // the edit that mends it, or empty
}

func (p *Problem) Error() string {
	if p.Hint == "" {
		return p.Message
	}
	return p.Message + " (" + p.Hint + ")"
}

// Problemf makes a Problem without a hint.
func Problemf(format string, args ...any) *Problem {
	return &Problem{Message: fmt.Sprintf(format, args...)}
}

// Mend adds the edit that mends p.
func (p *Problem) Mend(format string, args ...any) *Problem {
	p.Hint = fmt.Sprintf(format, args...)
	return p
}
