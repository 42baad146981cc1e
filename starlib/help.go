package starlib

import (
	"fmt"
	"io"
	"strings"

	"mpf/starlib/act"
	"mpf/starlib/analyse"
	"mpf/starlib/declare"
	"mpf/starlib/modules"
	"mpf/starlib/naming"
	"mpf/starlib/script"
)

// A chapter is a part of the language reference.
type chapter struct {
	title string
	intro string
	docs  []script.Doc
}

const aboutFiles = `A file declares while it is loaded; its functions act while runs are executed.
It is written in Starlark, a small dialect of Python: no imports, classes,
exceptions, decorators, f-strings, while or recursion; "for", "if", functions,
lambdas, comprehensions, lists, dicts and sets are as in Python. A first line
"#!/usr/bin/env -S mpf run" makes the file a command. Its first string describes
the experiment.

	experiment("compress", replicates = 6)
	variable("program", ["gzip", "xz"])
	variable("level", [1, 6, 9])
	result("seconds", float, unit = "s", better = "lower")
	worker = role("worker")

	def measure(ctx, program, level):
	    out = ctx.run(program, "-" + str(level), "-k", "/tmp/data")
	    return {"seconds": out.seconds}

	worker.step(measure)

A step is a function. Its parameters are filled by name: ctx, and variables,
which are None in runs in which they do not exist. It returns None or a dict of
results: None, bool, int of 64 bits, float, string or a list of these. What a
file has at its top is read-only while runs are executed.

load("lib.star", "name") takes names from another file. It lies in the
experiment's folder or below, is named from there, and is at most 1 MiB.

All mistakes of a file are reported at once, each as

	file:line:col: subject "name": what is wrong (the edit that mends it)

Durations are text such as "250ms" or "1m30s", or numbers of seconds. Sizes are
text such as "64KiB" or "2MB", or numbers of bytes.

When a builtin may be called and what its errors look like is said by

	mpf help NAME`

const aboutRuns = `These are called by steps, setup and cleanup functions. A command is given to
the host as words and meets no shell. What fails ends the step, and with it the
run, which is recorded with status, cause, message and place; print and ctx.log
go to the step's log.`

const aboutAnalysis = `A file given to mpf eval is no experiment: it reads results, makes tables of them
and checks claims. It finds these and the modules, and declares nothing.

	rows = [r for r in results("mpf-out/compress/latest") if r.status == "ok"]
	for program in ["gzip", "xz"]:
	    print(program, describe([r.seconds for r in rows if r.program == program]).median)
	check(len(rows) > 0, "something was measured")`

// chapters are the language reference.
func chapters() []chapter {
	return []chapter{
		{"Files", aboutFiles, nil},
		{"Load time", "These declare. Each is called at the top of a file, or in a function that the top calls.", declare.Docs()},
		{"Readiness", "What the ready parameter of ctx.start takes.", act.ReadyDocs()},
		{"Run time", aboutRuns, act.Docs()},
		{"Commands, processes and spans", "These are what ctx.run and ctx.sh, ctx.start, and ctx.span return.", act.ValueDocs()},
		{"Analysis files", aboutAnalysis, analyse.Docs()},
		{"Modules", "These are there in every file, at load time and in steps, beside Starlark's own functions.", modules.Docs()},
	}
}

// Help writes the reference of the language: all of it for the topic "language"
// or "", or what one builtin does, as "variable" or "ctx.run".
func Help(w io.Writer, topic string) error {
	var b strings.Builder
	if topic == "" || topic == "language" {
		b.WriteString("# The language of experiment files\n")
		for _, c := range chapters() {
			fmt.Fprintf(&b, "\n## %s\n\n%s\n", c.title, c.intro)
			for _, doc := range c.docs {
				writeShort(&b, doc)
			}
		}
	} else if err := helpOn(&b, topic); err != nil {
		return err
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func helpOn(b *strings.Builder, topic string) error {
	var names []string
	found := false
	for _, c := range chapters() {
		for _, doc := range c.docs {
			names = append(names, doc.Name())
			if doc.Name() == topic || doc.Word() == topic {
				if found {
					b.WriteByte('\n')
				}
				found = true
				writeLong(b, doc)
			}
		}
	}
	if !found {
		return script.Problemf("help: no topic %q", topic).Mend("%s", naming.Suggest(topic, names, "topics"))
	}
	return nil
}

func writeShort(b *strings.Builder, doc script.Doc) {
	fmt.Fprintf(b, "\n### `%s`\n\n%s\n", doc.Signature, doc.Text)
	if doc.Checks != "" && doc.Checks != "nothing" {
		fmt.Fprintf(b, "Checked: %s.\n", doc.Checks)
	}
}

func writeLong(b *strings.Builder, doc script.Doc) {
	fmt.Fprintf(b, "%s\n\n%s\n", doc.Signature, doc.Text)
	for _, line := range []struct{ name, text string }{{"when", doc.When}, {"checks", doc.Checks}, {"error", doc.Error}} {
		if line.text != "" {
			fmt.Fprintf(b, "%s: %s\n", line.name, line.text)
		}
	}
}
