package modules

import (
	"strings"
	"testing"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

func TestModules(t *testing.T) {
	for _, c := range []struct{ expr, want string }{
		{`re.search("(a+)(b)?", "xaac")`, `["aa", "aa", None]`},
		{`re.search("z", "x")`, `None`},
		{`re.match("b", "ab")`, `None`},
		{`re.match("a(.)", "ab")`, `["ab", "b"]`},
		{`re.findall("[0-9]+", "1 22 3")`, `["1", "22", "3"]`},
		{`re.findall("(.)=", "a=b=")`, `["a", "b"]`},
		{`re.findall("(.)=(.)", "a=1,b=2")`, `[["a", "1"], ["b", "2"]]`},
		{`re.sub("(.)-", "$1+", "a-b-")`, `"a+b+"`},
		{`re.split(", *", "a, b,c")`, `["a", "b", "c"]`},
		{`re.search(re.escape("a.b"), "axb")`, `None`},
		{`json.decode("{\"a\": [1, 2.5, null, true]}")`, `{"a": [1, 2.5, None, True]}`},
		{`json.decode(json.encode({"[": "\"[["}))`, `{"[": "\"[["}`},
		{`json.decode("[" * 1001)`, `error: json.decode: nested deeper than 1000`},
		{`re.search("(", "x")`, "error: re.search: pattern \"(\": error parsing regexp: missing closing ): `(`"},
		{`re.sub("a", "b")`, `error: sub: missing argument for text`},
		{`math.floor(2.5)`, `2`},
		{`struct(a = 1).a`, `1`},
	} {
		thread := &starlark.Thread{}
		v, err := starlark.EvalOptions(&syntax.FileOptions{}, thread, "x.star", c.expr, All())
		got := ""
		if err != nil {
			got = "error: " + err.Error()
		} else {
			got = v.String()
		}
		if !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: got %s, want %s", c.expr, got, c.want)
		}
	}
}
