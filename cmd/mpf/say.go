package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"mpf/cmd/mpf/argv"
	"mpf/cmd/mpf/progress"
	"mpf/engine"
	"mpf/engine/spelling"
	"mpf/results/grid"
)

// The voice of mpf. Every word that people are shown is said here or in the
// errors of the rooms below, by these rules: results go to stdout, talk to
// stderr; lower case and no full stop; what is wrong first, then a hint that is
// a command or an edit; text from hosts is quoted; counts agree with their nouns.
type voice struct {
	out, err io.Writer
	terminal bool // err is one that can write a line again
}

func newVoice(out, err io.Writer) *voice {
	v := &voice{out: out, err: err}
	if file, ok := err.(*os.File); ok {
		v.terminal = term.IsTerminal(int(file.Fd())) && os.Getenv("TERM") != "dumb"
	}
	return v
}

// width of the terminal in characters; 100 where it is not known.
func (v *voice) width() int {
	for _, stream := range []io.Writer{v.out, v.err} {
		if file, ok := stream.(*os.File); ok {
			if width, _, err := term.GetSize(int(file.Fd())); err == nil && width > 20 {
				return width
			}
		}
	}
	return 100
}

// screen is stderr as what shows progress writes to it.
func (v *voice) screen() progress.Screen {
	return progress.Screen{Writer: v.err, Terminal: v.terminal, Width: v.width}
}

// tableWidth is the width that a table on stdout must keep to; 0 is any.
func (v *voice) tableWidth() int {
	if file, ok := v.out.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		return v.width()
	}
	return 0
}

// talk prints a line to stderr.
func (v *voice) talk(format string, args ...any) { fmt.Fprintf(v.err, "mpf: "+format+"\n", args...) }

func (v *voice) hint(format string, args ...any) { v.talk("hint: "+format, args...) }

func (v *voice) warn(format string, args ...any) { v.talk("warning: "+format, args...) }

// print prints to stdout.
func (v *voice) print(format string, args ...any) { fmt.Fprintf(v.out, format, args...) }

// json prints a value to stdout as a line of JSON.
func (v *voice) json(value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	v.print("%s\n", text)
	return nil
}

// ending says the error that ends mpf, if there is one, and returns its code.
func (v *voice) ending(err error) int {
	var mistakes engine.Mistakes
	switch {
	case err == nil, errors.Is(err, errNoCommand):
	case errors.As(err, &mistakes):
		fmt.Fprintln(v.err, mistakes)
	case errors.Is(err, context.Canceled):
		v.talk("interrupted")
	case !errors.Is(err, errSomeFailed):
		for line := range strings.Lines(err.Error()) {
			v.talk("error: %s", strings.TrimSuffix(line, "\n"))
		}
	}
	var hints interface{ Hint() string }
	// What is said of a host has its hint in it.
	if errors.As(err, &hints) && !strings.Contains(err.Error(), hints.Hint()) {
		v.hint("%s", hints.Hint())
	}
	return exitCode(err)
}

// overview is what mpf alone prints: the commands that matter and one example.
func (v *voice) overview(all []command) {
	fmt.Fprintln(v.err, "mpf runs evaluation experiments on hosts and keeps their results.")
	fmt.Fprintln(v.err)
	v.list(v.err, all, func(c command) bool { return c.main })
	fmt.Fprint(v.err, "\nfor example:\n  mpf init first && mpf run first.star\n\nall commands: mpf --help\n")
}

// usage is the whole of mpf --help.
func (v *voice) usage(all []command) {
	v.print("usage: mpf COMMAND ...\n\n")
	v.list(v.out, all, func(command) bool { return true })
	v.print("\neach command says more with --help; a file that begins with\n#!/usr/bin/env -S mpf run is a command of its own\n")
}

func (v *voice) list(to io.Writer, all []command, wanted func(command) bool) {
	var rows [][]string
	for _, c := range all {
		if wanted(c) {
			rows = append(rows, []string{"  mpf " + strings.TrimSpace(c.name+" "+c.args), c.summary})
		}
	}
	// As with all talk, there is nobody to tell that it cannot be said.
	_ = grid.Grid{Rows: rows}.Render(to)
}

func unknownCommand(word string) error {
	e := &usageError{message: fmt.Sprintf("no command %q", word), todo: "mpf --help lists the commands"}
	if strings.HasSuffix(word, ".star") {
		e.todo = "mpf run " + argv.Quote(word)
		return e
	}
	var names []string
	for _, c := range commands() {
		names = append(names, c.name)
	}
	if near := spelling.Nearest(word, names); near != "" {
		e.todo = "did you mean mpf " + near + "?"
	}
	return e
}
