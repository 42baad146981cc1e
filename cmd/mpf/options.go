package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"mpf/cmd/mpf/argv"
	"mpf/engine/spelling"
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
		p.say.print("usage: mpf %s\n", o.usage)
		if o.HasFlags() {
			p.say.print("\n%s", o.FlagUsages())
		}
		return errHelp
	case err != nil:
		return o.wrong(err.Error() + o.meant(err))
	case o.NArg() < least:
		return o.wrong(fmt.Sprintf("%s is missing", o.missing(o.NArg())))
	case most >= 0 && o.NArg() > most:
		return o.wrong(fmt.Sprintf("unexpected word %q", o.Arg(most)))
	}
	return nil
}

// meant names the flag that an unknown one is near to.
func (o *options) meant(err error) string {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return ""
	}
	var names []string
	o.VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	if near := spelling.Nearest(unknown.GetSpecifiedName(), names); near != "" {
		return fmt.Sprintf(" (did you mean --%s?)", near)
	}
	return ""
}

// missing names the word that the usage wants after n given ones.
func (o *options) missing(n int) string {
	words := slices.DeleteFunc(strings.Fields(o.line())[1:], func(word string) bool { return strings.HasPrefix(word, "[") })
	if n >= len(words) {
		return "a word"
	}
	return words[n]
}

func (o *options) wrong(what string) error {
	return &usageError{message: o.Name() + ": " + what, todo: "usage: mpf " + o.line()}
}

// line is the command line that the usage begins with.
func (o *options) line() string {
	line, _, _ := strings.Cut(o.usage, "\n")
	return line
}

// given returns the flags of the command line as they would be typed again,
// save those that are named.
func (o *options) given(save ...string) []string {
	var words []string
	o.Visit(func(f *pflag.Flag) {
		if slices.Contains(save, f.Name) {
			return
		}
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand
		}
		values := []string{f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		for _, value := range values {
			words = append(words, name)
			if f.NoOptDefVal == "" {
				words = append(words, argv.Quote(value))
			}
		}
	})
	return words
}
