package script

import (
	"fmt"
	"runtime/debug"
	"strings"

	"go.starlark.net/starlark"

	"mpf/engine"
	"mpf/starlib/convert"
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
// starlark.UnpackArgs does.
func (c *Call) Unpack(pairs ...any) error {
	if err := c.checkKeywords(pairs); err != nil {
		return err
	}
	return starlark.UnpackArgs(c.Name, c.Args, c.Kwargs, pairs...)
}

// checkKeywords looks for unknown keywords itself: the library's suggestions
// leave out every second parameter.
func (c *Call) checkKeywords(pairs []any) error {
	names := make([]string, 0, len(pairs)/2)
	for i := 0; i < len(pairs); i += 2 {
		names = append(names, strings.TrimRight(pairs[i].(string), "?"))
	}
next:
	for _, kv := range c.Kwargs {
		keyword := string(kv[0].(starlark.String))
		for _, name := range names {
			if name == keyword {
				continue next
			}
		}
		hint := "its parameters: " + strings.Join(names, ", ")
		if near := convert.Nearest(keyword, names); near != "" {
			hint = fmt.Sprintf("did you mean %q?", near)
		}
		return &Problem{Message: fmt.Sprintf("%s: no parameter %q", c.Name, keyword), Hint: hint}
	}
	return nil
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
