package act

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.starlark.net/starlark"

	"mpf/engine"
	"mpf/starlib/convert"
	"mpf/starlib/script"
)

// MaxText bounds a text that is a result.
const MaxText = 64 << 10

// Columns knows which results may be returned and of which type.
type Columns struct {
	Types map[string]engine.Type // of declared results
	Taken func(name string) string
}

// results converts what a step returned.
func (f *Function) results(v starlark.Value) (engine.Results, error) {
	if f.Columns == nil {
		if _, ok := v.(*starlark.Dict); ok {
			return nil, badResult("%s returned a dict, but only steps give results", f.Name)
		}
		return nil, nil
	}
	if v == starlark.None {
		return nil, nil
	}
	dict, ok := v.(starlark.IterableMapping)
	if !ok {
		return nil, badResult("%s returned %s, want None or a dict of results by name", f.Name, v.Type())
	}
	var results engine.Results
	for _, item := range dict.Items() {
		r, err := f.result(item[0], item[1])
		if err != nil {
			return nil, err
		}
		results = append(results, r)
	}
	return results, nil
}

func (f *Function) result(key, v starlark.Value) (engine.NamedValue, error) {
	name, ok := starlark.AsString(key)
	if !ok {
		return engine.NamedValue{}, badResult("a result's name is %s, want string", key.Type())
	}
	if err := f.Columns.CheckName(name); err != nil {
		return engine.NamedValue{}, err
	}
	value, err := convert.Plain(v)
	if err != nil {
		return engine.NamedValue{}, badResult("result %q: %v", name, err)
	}
	if !f.Gathered {
		value, err = f.Columns.Conform(name, value)
	}
	return engine.NamedValue{Name: name, Value: value}, err
}

// CheckName refuses names that cannot be a result's column.
func (c *Columns) CheckName(name string) error {
	if !utf8.ValidString(name) || strings.TrimSpace(name) != name || name == "" || len(name) > 128 {
		return badResult("result %q: want a name of 1 to 128 bytes without blanks around it", name)
	}
	if strings.IndexFunc(name, unicode.IsControl) >= 0 {
		return badResult("result %q: the name holds a control character", name)
	}
	if _, declared := c.Types[name]; declared {
		return nil
	}
	if why := c.Taken(name); why != "" {
		return badResult("result %q: the name %s: give it another", name, why)
	}
	return nil
}

// Conform checks a value against the declared type of its column. An int that
// a float holds exactly becomes a float where one is declared.
func (c *Columns) Conform(name string, v engine.Value) (engine.Value, error) {
	if text, ok := v.(string); ok && len(text) > MaxText {
		return nil, badResult("result %q: text of %d bytes, the most is %d: write it to a file and fetch that with ctx.get", name, len(text), MaxText)
	}
	want, declared := c.Types[name]
	if !declared || v == nil {
		return v, nil
	}
	got := typeOf(v)
	if got == want {
		return v, nil
	}
	if i, ok := v.(int64); ok && want == engine.Float && int64(float64(i)) == i && i != 1<<63-1 {
		return float64(i), nil
	}
	return nil, badResult("result %q: got %s, declared %s%s", name, shown(v), want, conversion(name, got, want))
}

// shown is a value after its type, cut where it is long.
func shown(v engine.Value) string {
	text := clip(engine.FormatValue(v), 60)
	if _, ok := v.(string); ok {
		text = strconv.Quote(text)
	}
	return string(typeOf(v)) + " " + text
}

// conversion is the edit that makes a value of one type one of another.
func conversion(name string, got, want engine.Type) string {
	switch {
	case want == engine.Bool, got == "list":
		return ""
	case want == engine.String:
		return fmt.Sprintf(" (convert it: %q: str(value))", name)
	}
	return fmt.Sprintf(" (convert it: %q: %s(value))", name, want)
}

func typeOf(v engine.Value) engine.Type {
	switch v.(type) {
	case bool:
		return engine.Bool
	case int64:
		return engine.Int
	case float64:
		return engine.Float
	case string:
		return engine.String
	}
	return "list"
}

func badResult(format string, args ...any) *engine.Failure {
	return &engine.Failure{Status: engine.Failed, Cause: engine.CauseResultType, Message: script.OneLine(fmt.Sprintf(format, args...))}
}

// clip cuts text to n bytes at a rune's border.
func clip(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n] + "..."
}
