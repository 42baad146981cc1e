package modules

import (
	"fmt"

	"go.starlark.net/lib/json"
	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"

	"mpf/starlib/script"
)

// maxNesting bounds arrays and objects within each other: the decoder recurses.
const maxNesting = 1000

var decodeDoc = script.Doc{
	Signature: "json.decode(text)",
	Text:      "The value that JSON text stands for.",
	When:      "anywhere", Checks: fmt.Sprintf("the text is one JSON value, nested at most %d deep", maxNesting),
	Error: "`json.decode: at offset 1, unexpected character 'x'`",
}

func jsonDocs() []script.Doc {
	return []script.Doc{decodeDoc, {
		Signature: "json.encode(value)",
		Text:      "The JSON text of a value: None, bool, int, float, string, list, tuple, dict with string keys, struct.",
		When:      "anywhere", Checks: "the value has a JSON form", Error: "`json.encode: cannot encode function as JSON`",
	}, {
		Signature: `json.indent(text, prefix = "", indent = "\t")`,
		Text:      "JSON text over several lines.",
		When:      "anywhere", Checks: "the text is JSON", Error: "`json.indent: invalid character ...`",
	}}
}

func jsonModule() *starlarkstruct.Module {
	return &starlarkstruct.Module{Name: "json", Members: starlark.StringDict{
		"encode": json.Module.Members["encode"],
		"indent": json.Module.Members["indent"],
		"decode": script.New(decodeDoc, func(c *script.Call) (starlark.Value, error) {
			var text string
			if err := c.Unpack("text", &text); err != nil {
				return nil, err
			}
			return DecodeJSON(c.Thread, text)
		}),
	}}
}

// DecodeJSON decodes one JSON value.
func DecodeJSON(th *starlark.Thread, text string) (starlark.Value, error) {
	if nesting(text) > maxNesting {
		return nil, fmt.Errorf("json.decode: nested deeper than %d", maxNesting)
	}
	return starlark.Call(th, json.Module.Members["decode"], starlark.Tuple{starlark.String(text)}, nil)
}

// nesting returns how deep brackets outside of strings are nested.
func nesting(text string) int {
	depth, deepest, quoted := 0, 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[' || c == '{':
			depth++
			deepest = max(deepest, depth)
		case c == ']' || c == '}':
			depth--
		}
	}
	return deepest
}
