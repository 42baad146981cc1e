package lint

import (
	"fmt"

	"go.starlark.net/syntax"

	"mpf/engine/spelling"
	"mpf/starlib/shell"
)

// script finds names that the script of a ctx.sh expands and that the call does
// not give. Scripts and environments that are made at run time are left to sh.
func (l *linter) script(call *syntax.CallExpr) {
	text, given, ok := scriptOf(call)
	if !ok {
		return
	}
	for _, name := range shell.Missing(text.Value.(string), given) {
		hint := fmt.Sprintf("give it, as in ctx.sh(..., %s = value), or write ${%s:-} where it may be missing", name, name)
		if near := spelling.Nearest(name, given); near != "" {
			hint = fmt.Sprintf("did you mean $%s?", near)
		}
		l.wrong(text.TokenPos, hint, fmt.Sprintf("sh: the script uses $%s, which it is not given", name))
	}
}

// scriptOf returns the literal script of a call and the names that it is given;
// not ok where either cannot be seen.
func scriptOf(call *syntax.CallExpr) (text *syntax.Literal, given []string, ok bool) {
	for i, arg := range call.Args {
		if i == 0 {
			text, _ = arg.(*syntax.Literal)
		}
		if _, spread := arg.(*syntax.UnaryExpr); spread {
			return nil, nil, false
		}
		named, isNamed := arg.(*syntax.BinaryExpr)
		if !isNamed || named.Op != syntax.EQ {
			continue
		}
		switch name := named.X.(*syntax.Ident).Name; name {
		case "script":
			text, _ = named.Y.(*syntax.Literal)
		case "env":
			keys, visible := literalKeys(named.Y)
			if !visible {
				return nil, nil, false
			}
			given = append(given, keys...)
		default:
			given = append(given, name)
		}
	}
	if text == nil || text.Token != syntax.STRING {
		return nil, nil, false
	}
	return text, given, true
}

// literalKeys returns the keys of a dict that is written out with text as keys.
func literalKeys(x syntax.Expr) (keys []string, ok bool) {
	dict, ok := x.(*syntax.DictExpr)
	if !ok {
		return nil, false
	}
	for _, entry := range dict.List {
		key, ok := entry.(*syntax.DictEntry).Key.(*syntax.Literal)
		if !ok || key.Token != syntax.STRING {
			return nil, false
		}
		keys = append(keys, key.Value.(string))
	}
	return keys, true
}
