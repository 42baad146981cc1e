package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"mpf/remote/inventory"
	"mpf/results/tables"
	"mpf/starlib"
)

// help prints what mpf knows about a topic or a command.
func (p *program) help(args []string) error {
	o := newOptions("help [TOPIC]")
	if err := o.parse(p, args, 0, 1); err != nil {
		return err
	}
	switch topic := o.Arg(0); topic {
	case "":
		p.say.usage(commands())
		p.say.print("\ntopics: language, cluster, schema, tables, codes, and each builtin by its name\n")
		return nil
	case "codes":
		p.say.print("%s", exitCodes)
		return nil
	case "cluster":
		p.say.print("%s", inventory.Document)
		return nil
	case "schema":
		p.say.print("%s", inventory.Schema)
		return nil
	case "tables":
		return tables.WriteDocument(p.say.out)
	case "language", "ctx":
		return starlib.Help(p.say.out, "")
	default:
		return p.helpFor(topic)
	}
}

// helpFor prints what is known of a name: it may be that of a command and of a
// builtin.
func (p *program) helpFor(name string) error {
	i := slices.IndexFunc(commands(), func(c command) bool { return c.name == name })
	if i >= 0 {
		if err := commands()[i].run(p, []string{"--help"}); !errors.Is(err, errHelp) {
			return err
		}
	}
	var builtin strings.Builder
	if err := starlib.Help(&builtin, name); err != nil && i < 0 {
		return &usageError{message: fmt.Sprintf("no help on %q", name), todo: "mpf help lists the topics"}
	} else if err == nil && i >= 0 {
		p.say.print("\nin files:\n\n")
	}
	p.say.print("%s", builtin.String())
	return nil
}

const exitCodes = `exit codes of mpf:

    0  every run of the design is ok, or was skipped by its own step
    1  finished, and some runs failed, timed out or were not reached
    2  the command line is wrong
    3  the experiment or the cluster file is wrong
    4  a host is unreachable, or refused who came
    5  the record could not be written; what was acknowledged is kept
    6  the output directory is refused: locked, damaged, or of another plan
  130  interrupted; the same command goes on
`
