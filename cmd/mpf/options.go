package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/pflag"
)

// options are the flags of one command.
type options struct {
	*pflag.FlagSet
	usage string
}

// newOptions begins the flags of a command. The first line of usage is its
// command line; what it does may follow.
func newOptions(usage string) *options {
	name := strings.Fields(usage)[0]
	o := &options{FlagSet: pflag.NewFlagSet(name, pflag.ContinueOnError), usage: usage}
	o.SortFlags = false
	o.Usage = func() {}
	return o
}

// errHelp is returned once a command has printed its help.
var errHelp = errors.New("help was asked for")

// parse reads the command line. The number of words beside the flags must lie
// between least and most; most < 0 is any number.
func (o *options) parse(p *program, args []string, least, most int) error {
	switch err := o.Parse(args); {
	case errors.Is(err, pflag.ErrHelp):
		p.say.print("usage: mpf %s\n\n%s\n", o.usage, strings.TrimRight(o.FlagUsages(), "\n"))
		return errHelp
	case err != nil:
		return o.wrong(err.Error())
	case o.NArg() < least:
		return o.wrong("a word is missing")
	case most >= 0 && o.NArg() > most:
		return o.wrong(fmt.Sprintf("unexpected word %q", o.Arg(most)))
	}
	return nil
}

func (o *options) wrong(what string) error {
	line, _, _ := strings.Cut(o.usage, "\n")
	return &usageError{message: o.Name() + ": " + what, todo: "usage: mpf " + line}
}
