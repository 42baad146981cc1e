package modules

import (
	"fmt"
	"regexp"

	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"

	"mpf/starlib/script"
)

const reChecks = "the pattern is a regular expression of Go's package regexp (RE2: linear time, no backreferences, no lookaround)"

const reError = "`re.search: pattern \"(\": missing closing ): `(``"

func reDocs() []script.Doc {
	var docs []script.Doc
	for _, f := range onTexts() {
		docs = append(docs, f.doc)
	}
	return append(docs, reSub(), reEscape())
}

// withPattern documents a function whose first parameter is a pattern.
func withPattern(signature, text string) script.Doc {
	return script.Doc{Signature: signature, Text: text, When: "anywhere", Checks: reChecks, Error: reError}
}

// An onText is a function of a pattern and a text.
type onText struct {
	doc script.Doc
	do  func(*regexp.Regexp, string) starlark.Value
}

func onTexts() []onText {
	return []onText{
		{withPattern("re.search(pattern, text)", "The first match anywhere in the text, or None; a match is the list of the whole and its groups, None for a group that took no part."), search},
		{withPattern("re.match(pattern, text)", "As `re.search`, but only at the beginning of the text."), match},
		{withPattern("re.findall(pattern, text)", "All matches: a list of strings where the pattern has at most one group, else a list of lists of the groups."), findAll},
		{withPattern("re.split(pattern, text)", "The pieces of the text between matches."), split},
	}
}

func reModule() *starlarkstruct.Module {
	members := starlark.StringDict{
		reSub().Word():    script.New(reSub(), sub),
		reEscape().Word(): script.New(reEscape(), escape),
	}
	for _, f := range onTexts() {
		members[f.doc.Word()] = f.builtin()
	}
	return &starlarkstruct.Module{Name: "re", Members: members}
}

func reSub() script.Doc {
	return withPattern("re.sub(pattern, replacement, text)", "The text with every match replaced; `$1` or `${name}` in the replacement stand for groups, `$$` for a dollar.")
}

func reEscape() script.Doc {
	return script.Doc{
		Signature: "re.escape(text)", Text: "A pattern that matches exactly the text.",
		When: "anywhere", Checks: "text is a string", Error: "`escape: for parameter text: got int, want string`",
	}
}

func (f onText) builtin() *starlark.Builtin {
	return script.New(f.doc, func(c *script.Call) (starlark.Value, error) {
		var pattern, text string
		if err := c.Unpack("pattern", &pattern, "text", &text); err != nil {
			return nil, err
		}
		re, err := compile(f.doc.Name(), pattern)
		if err != nil {
			return nil, err
		}
		return f.do(re, text), nil
	})
}

func compile(who, pattern string) (*regexp.Regexp, error) {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, fmt.Errorf("%s: pattern %q: %w", who, pattern, err)
	}
	return re, nil
}

func search(re *regexp.Regexp, text string) starlark.Value {
	return groups(text, re.FindStringSubmatchIndex(text))
}

func match(re *regexp.Regexp, text string) starlark.Value {
	at := re.FindStringSubmatchIndex(text)
	if at == nil || at[0] != 0 {
		return starlark.None
	}
	return groups(text, at)
}

// groups makes the list of a match from its offsets.
func groups(text string, at []int) starlark.Value {
	if at == nil {
		return starlark.None
	}
	items := make([]starlark.Value, len(at)/2)
	for i := range items {
		items[i] = starlark.None
		if at[2*i] >= 0 {
			items[i] = starlark.String(text[at[2*i]:at[2*i+1]])
		}
	}
	return starlark.NewList(items)
}

func findAll(re *regexp.Regexp, text string) starlark.Value {
	var found []starlark.Value
	for _, m := range re.FindAllStringSubmatch(text, -1) {
		switch len(m) {
		case 1, 2:
			found = append(found, starlark.String(m[len(m)-1]))
		default:
			found = append(found, textList(m[1:]))
		}
	}
	return starlark.NewList(found)
}

func split(re *regexp.Regexp, text string) starlark.Value { return textList(re.Split(text, -1)) }

func textList(texts []string) *starlark.List {
	items := make([]starlark.Value, len(texts))
	for i, text := range texts {
		items[i] = starlark.String(text)
	}
	return starlark.NewList(items)
}

func sub(c *script.Call) (starlark.Value, error) {
	var pattern, replacement, text string
	if err := c.Unpack("pattern", &pattern, "replacement", &replacement, "text", &text); err != nil {
		return nil, err
	}
	re, err := compile("re.sub", pattern)
	if err != nil {
		return nil, err
	}
	return starlark.String(re.ReplaceAllString(text, replacement)), nil
}

func escape(c *script.Call) (starlark.Value, error) {
	var text string
	if err := c.Unpack("text", &text); err != nil {
		return nil, err
	}
	return starlark.String(regexp.QuoteMeta(text)), nil
}
