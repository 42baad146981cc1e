package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"mpf/cmd/mpf/amount"
	"mpf/engine"
	"mpf/starlib/format"
)

// errNotLaidOut ends mpf fmt --check where a file would change.
var errNotLaidOut = errors.New("not laid out as mpf fmt does")

// format lays out experiment files in place.
func (p *program) format(args []string) error {
	o := newOptions("fmt FILE... [flags]\n\n" +
		"Lays experiment files out in the one way, and names those that it changed. What a file\n" +
		"means stays the same. - is standard input, laid out to standard output.")
	check := o.Bool("check", false, "change nothing: name the files that would change, and fail if there are any")
	if err := o.parse(p, args, 1, -1); err != nil {
		return err
	}
	var mistakes engine.Mistakes
	other := 0
	for _, path := range o.Args() {
		changed, err := p.formatOne(path, *check)
		var found engine.Mistakes
		if errors.As(err, &found) {
			mistakes = append(mistakes, found...)
		} else if err != nil {
			return err
		}
		if changed {
			other++
			p.say.print("%s\n", path)
		}
	}
	if err := mistakes.Err(); err != nil {
		return err
	}
	if *check && other > 0 {
		return &hinted{fmt.Errorf("%s: %w", amount.Count(other, "file"), errNotLaidOut), "lay them out: mpf fmt FILE..."}
	}
	return nil
}

// formatOne lays out a file, and reports whether it is another one then.
func (p *program) formatOne(path string, check bool) (changed bool, err error) {
	if path == "-" {
		return false, p.formatStream()
	}
	info, err := os.Stat(path)
	if err != nil {
		return false, noFile(path, err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return false, unreadable(path, err, "")
	}
	formatted, err := format.Source(path, content)
	if err != nil || bytes.Equal(content, formatted) {
		return false, err
	}
	if check {
		return true, nil
	}
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return false, err
	}
	return true, replaceFileAs(path, info.Mode().Perm(), func(w io.Writer) error {
		_, err := w.Write(formatted)
		return err
	})
}

func (p *program) formatStream() error {
	content, err := io.ReadAll(p.in)
	if err != nil {
		return err
	}
	formatted, err := format.Source("-", content)
	if err != nil {
		return err
	}
	p.say.print("%s", formatted)
	return nil
}
