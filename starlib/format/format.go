package format

import (
	"errors"
	"fmt"

	"github.com/bazelbuild/buildtools/build"

	"mpf/engine"
	"mpf/starlib/code"
)

// Source returns a file laid out. Mistakes of syntax come back as
// engine.Mistakes.
func Source(path string, content []byte) ([]byte, error) {
	if _, err := code.Dialect().Parse(path, content, 0); err != nil {
		return nil, code.Parse(path, content, func(string) bool { return true }).Mistakes.Err()
	}
	file, err := build.ParseDefault(path, content)
	if err != nil {
		var at build.ParseError
		pos := engine.Pos{File: path, Line: 1, Col: 1}
		if errors.As(err, &at) {
			pos.Line, pos.Col = at.Pos.Line, at.Pos.LineRune
		}
		return nil, engine.Mistakes{{Pos: pos, Message: fmt.Sprintf("the formatter cannot read it: %v", err), Hint: "leave it as it is: mpf check says what matters"}}
	}
	formatted := build.FormatWithoutRewriting(file)
	if !code.Same(content, formatted) {
		return nil, fmt.Errorf("%s: formatting would change what it means: it stays as it is", path)
	}
	return formatted, nil
}
