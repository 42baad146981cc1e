package act

import (
	"errors"

	"go.starlark.net/starlark"

	"mpf/starlib/script"
)

var errNoRun = errors.New("setup belongs to no run: it has no treatment, replicate, run_id or seed")

func attributes() []attribute {
	has := func(name, text string, get func(*Context) (starlark.Value, error)) attribute {
		return attribute{script.Doc{Signature: "ctx." + name, Text: text, When: inSteps}, get}
	}
	ofRun := func(name, text string, get func(*Context) starlark.Value) attribute {
		return attribute{script.Doc{Signature: "ctx." + name, Text: text, When: "in steps and cleanup"},
			func(c *Context) (starlark.Value, error) {
				if c.rc.Run.Replicate == 0 {
					return nil, errNoRun
				}
				return get(c), nil
			}}
	}
	return []attribute{
		has("host", "This host: a struct of name, address, interfaces (a dict name -> address), tags and facts (a dict).",
			func(c *Context) (starlark.Value, error) { return hostOf(c.rc.Host), nil }),
		has("role", "The name of the role that this host plays in the step.",
			func(c *Context) (starlark.Value, error) { return starlark.String(c.rc.Role), nil }),
		has("rank", "This host's place among those of its role, from 0.",
			func(c *Context) (starlark.Value, error) { return starlark.MakeInt(c.rc.Rank), nil }),
		has("dir", "The run's folder on this host; commands start in it and relative paths begin there.",
			func(c *Context) (starlark.Value, error) { return starlark.String(c.rc.Workspace.Dir()), nil }),
		has("source", "Where the deployment of this host's role lies on the host, or None.",
			func(c *Context) (starlark.Value, error) { return textOrNone(c.rc.Source), nil }),
		ofRun("treatment", "A dict variable -> value, None where the variable does not exist.",
			func(c *Context) starlark.Value { c.once.Do(c.assign); return c.treatment }),
		ofRun("labels", "A dict variable -> label, None where the variable does not exist.",
			func(c *Context) starlark.Value { c.once.Do(c.assign); return c.labels }),
		ofRun("replicate", "The replicate, from 1.",
			func(c *Context) starlark.Value { return starlark.MakeInt(c.rc.Run.Replicate) }),
		ofRun("attempt", "The attempt at this run, from 1.",
			func(c *Context) starlark.Value { return starlark.MakeInt(c.rc.Attempt) }),
		ofRun("run_id", "The run's identity: 32 hexadecimal digits.",
			func(c *Context) starlark.Value { return starlark.String(c.rc.Run.ID.String()) }),
		ofRun("seed", "An int from 0 to 2**63 - 1 that is this run's own, derived from the experiment's seed.",
			func(c *Context) starlark.Value { return starlark.MakeUint64(c.rc.Seed >> 1) }),
	}
}

// ValueDocs documents what methods of ctx return.
func ValueDocs() []script.Doc {
	var docs []script.Doc
	for _, m := range outputMembers() {
		docs = append(docs, m.doc)
	}
	for _, m := range processMethods() {
		docs = append(docs, m.doc)
	}
	return append(docs, spanEndDoc())
}
