package act

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"go.starlark.net/starlark"

	"mpf/engine"
	"mpf/starlib/convert"
	"mpf/starlib/script"
)

func reportMethods() []method {
	return []method{{
		script.Doc{
			Signature: "ctx.log(*values)",
			Text:      "Adds a line to the step's log; print does the same. All of it is kept, the first lines of a step are shown.",
			When:      inSteps, Checks: "nothing: strings stand as they are, other values as they are written", Error: "none",
		}, (*Context).log}, {
		script.Doc{
			Signature: "ctx.span(name, **attributes)",
			Text:      "Begins a named stretch of time of the trace and returns a span; the step's end ends it.",
			When:      inSteps, Checks: "attributes are plain values", Error: "`span \"load\": attribute \"f\": got function, want None, bool...`",
		}, (*Context).span}, {
		script.Doc{
			Signature: "ctx.fail(message)",
			Text:      "Ends the step; the run has failed.",
			When:      inSteps, Checks: "message is a string", Error: "the message",
		}, ender("message", func(m string) *engine.Failure {
			return &engine.Failure{Status: engine.Failed, Cause: engine.CauseAsked, Message: m}
		})}, {
		script.Doc{
			Signature: "ctx.skip(reason)",
			Text:      "Ends the step; the run is recorded as skipped and is no failure.",
			When:      inSteps, Checks: "reason is a string", Error: "the reason",
		}, ender("reason", func(m string) *engine.Failure {
			return &engine.Failure{Status: engine.Skipped, Cause: engine.CauseAsked, Message: m}
		})},
	}
}

// ender makes a method that ends the step.
func ender(param string, failure func(string) *engine.Failure) func(*Context, *script.Call) (starlark.Value, error) {
	return func(_ *Context, call *script.Call) (starlark.Value, error) {
		var text string
		if err := call.Unpack(param, &text); err != nil {
			return nil, err
		}
		return nil, failure(script.OneLine(text))
	}
}

func (c *Context) log(call *script.Call) (starlark.Value, error) {
	if len(call.Kwargs) > 0 {
		return nil, errors.New("log: only positional arguments are taken")
	}
	texts := make([]string, len(call.Args))
	for i, v := range call.Args {
		if text, ok := starlark.AsString(v); ok {
			texts[i] = text
		} else {
			texts[i] = v.String()
		}
	}
	c.rc.Journal.Log(strings.Join(texts, " "))
	return starlark.None, nil
}

// A span is a stretch of time that a script measures.
type span struct {
	c          *Context
	name       string
	start      time.Time
	attributes map[string]engine.Value
	ended      bool
}

var _ starlark.HasAttrs = (*span)(nil)

func (s *span) String() string        { return fmt.Sprintf("span(%q)", s.name) }
func (s *span) Type() string          { return "span" }
func (s *span) Freeze()               {}
func (s *span) Truth() starlark.Bool  { return true }
func (s *span) Hash() (uint32, error) { return 0, errors.New("unhashable: span") }
func (s *span) AttrNames() []string   { return []string{"end"} }

func spanEndDoc() script.Doc {
	return script.Doc{
		Signature: "span.end()", Text: "Ends the span and returns its seconds.",
		When: "on what ctx.span returned, once", Checks: "the span has not ended", Error: "`span \"load\": it has ended already`",
	}
}

func (s *span) Attr(name string) (starlark.Value, error) {
	if name != "end" {
		return nil, nil
	}
	return script.New(spanEndDoc(), func(call *script.Call) (starlark.Value, error) {
		if err := call.Unpack(); err != nil {
			return nil, err
		}
		if s.ended {
			return nil, fmt.Errorf("span %q: it has ended already", s.name)
		}
		return starlark.Float(s.end().Seconds()), nil
	}), nil
}

func (s *span) end() time.Duration {
	s.ended = true
	d := time.Since(s.start)
	s.c.rc.Journal.Span(s.name, s.start, d, s.attributes)
	return d
}

func (c *Context) span(call *script.Call) (starlark.Value, error) {
	var name convert.Text
	own, others := splitKeywords(call.Kwargs, []any{"name", &name})
	inner := script.Call{Thread: call.Thread, Name: call.Name, Args: call.Args, Kwargs: own}
	if err := inner.Unpack("name", &name); err != nil {
		return nil, err
	}
	s := &span{c: c, name: string(name), attributes: map[string]engine.Value{}}
	for _, kv := range others {
		key := string(kv[0].(starlark.String))
		v, err := convert.Plain(kv[1])
		if err != nil {
			return nil, fmt.Errorf("span %q: attribute %q: %w", name, key, err)
		}
		s.attributes[key] = v
	}
	s.start = time.Now()
	c.spans = append(c.spans, s)
	return s, nil
}

// endSpans ends the spans that the step left open.
func (c *Context) endSpans() {
	for _, s := range c.spans {
		if !s.ended {
			s.end()
		}
	}
}
