package act

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"

	"go.starlark.net/starlark"

	"mpf/engine"
	"mpf/starlib/convert"
	"mpf/starlib/script"
)

// A Context is the ctx of one step on one host.
type Context struct {
	ctx    context.Context
	rc     *engine.RunContext
	folder string

	once      sync.Once
	treatment starlark.Value
	labels    starlark.Value

	spans []*span
}

var _ starlark.HasAttrs = (*Context)(nil)

func newContext(ctx context.Context, rc *engine.RunContext, folder string) *Context {
	return &Context{ctx: ctx, rc: rc, folder: folder}
}

func (c *Context) String() string        { return "ctx" }
func (c *Context) Type() string          { return "ctx" }
func (c *Context) Freeze()               {}
func (c *Context) Truth() starlark.Bool  { return true }
func (c *Context) Hash() (uint32, error) { return 0, errors.New("unhashable: ctx") }

// Attr returns a method or an attribute.
func (c *Context) Attr(name string) (starlark.Value, error) {
	switch m := members()[name].(type) {
	case attribute:
		return m.get(c)
	case method:
		return c.bind(m), nil
	}
	return nil, nil
}

// AttrNames lists what ctx has.
func (c *Context) AttrNames() []string {
	return slices.Sorted(maps.Keys(members()))
}

// members are the methods and attributes of a ctx by name. It is made once and
// never changed.
var members = sync.OnceValue(func() map[string]any {
	all := map[string]any{}
	for _, m := range methods() {
		all[m.doc.Word()] = m
	}
	for _, a := range attributes() {
		all[a.doc.Word()] = a
	}
	return all
})

// A method is something that ctx does.
type method struct {
	doc script.Doc
	do  func(c *Context, call *script.Call) (starlark.Value, error)
}

// An attribute is something that ctx has.
type attribute struct {
	doc script.Doc
	get func(c *Context) (starlark.Value, error)
}

// bind makes the method a builtin that first looks whether the step is over.
func (c *Context) bind(m method) starlark.Value {
	return script.New(m.doc, func(call *script.Call) (starlark.Value, error) {
		if err := c.ctx.Err(); err != nil {
			return nil, context.Cause(c.ctx)
		}
		return m.do(c, call)
	})
}

// Docs documents ctx.
func Docs() []script.Doc {
	var docs []script.Doc
	for _, m := range methods() {
		docs = append(docs, m.doc)
	}
	for _, a := range attributes() {
		docs = append(docs, a.doc)
	}
	return docs
}

// assign fills the dicts of values and labels by variable.
func (c *Context) assign() {
	vars, t := c.rc.Experiment.Variables, c.rc.Run.Treatment
	values, labels := starlark.NewDict(len(vars)), starlark.NewDict(len(vars))
	for i, v := range vars {
		if i >= len(t) {
			break
		}
		name := starlark.String(v.Name)
		var label starlark.Value = starlark.None
		if t[i] != engine.Absent {
			label = starlark.String(t.Label(vars, i))
		}
		// Setting a text key of a fresh dict cannot fail.
		_ = values.SetKey(name, convert.Starlark(t.Value(vars, i)))
		_ = labels.SetKey(name, label)
	}
	values.Freeze()
	labels.Freeze()
	c.treatment, c.labels = values, labels
}

// Members documents what a ctx has, by name.
func Members() map[string]script.Doc {
	docs := map[string]script.Doc{}
	for name, m := range members() {
		switch m := m.(type) {
		case method:
			docs[name] = m.doc
		case attribute:
			docs[name] = m.doc
		}
	}
	return docs
}
