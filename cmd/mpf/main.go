// Command mpf runs evaluation experiments on hosts and keeps their results.
//
// This package is where the rooms meet: starlib reads the file, engine/design
// counts it, remote reaches the hosts, engine/execute runs it and results keeps
// what came out. It holds no rule of its own. Each subcommand is one file.
//
//	say.go            how mpf speaks: its streams, and the rules of its voice
//	cmd/mpf/standing  what a campaign has of a design, and what is left to do
//	cmd/mpf/planned   what a plan says
//	cmd/mpf/progress  what is told while runs are executed
//	cmd/mpf/amount    numbers, times and sizes as people read them
//	cmd/mpf/argv      commands as a shell takes them
package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"

	"mpf/remote/agent"
)

func main() {
	if agent.Invoked(os.Args) {
		os.Exit(agent.Main(os.Args))
	}
	ctx, stop := interruptible(context.Background())
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run executes one command line and returns its exit code.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	p := &program{ctx: ctx, in: stdin, say: newVoice(stdout, stderr)}
	return p.say.ending(p.dispatch(args))
}

// interruptible returns a context that the first signal ends. The second one
// ends the program at once: what it started on hosts ends by itself.
func interruptible(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	go func() {
		<-signals
		cancel()
		<-signals
		os.Exit(exitInterrupted)
	}()
	return ctx, func() { signal.Stop(signals); cancel() }
}

// A program is one command line under way.
type program struct {
	ctx context.Context
	in  io.Reader
	say *voice
}

// A command is one word that may follow mpf.
type command struct {
	name    string
	args    string
	summary string
	main    bool // one of the few that a newcomer needs
	run     func(p *program, args []string) error
}

func commands() []command {
	return []command{
		{"run", "FILE|DIR", "run an experiment, or go on with one", true, (*program).run},
		{"plan", "FILE", "count the runs and show their order; nothing runs", true, (*program).plan},
		{"show", "[DIR]", "the table of results, failures and logs", true, (*program).show},
		{"hosts", "[-c FILE]", "reach the hosts: agent, clock, facts, noise", true, (*program).hosts},
		{"init", "[NAME]", "write a first experiment and cluster file; translate an old one", false, (*program).init},
		{"replay", "FILE.parquet", "begin the campaign of a table anew, on other hosts", false, (*program).replay},
		{"merge", "DIR... -o DIR", "make one campaign of several of one plan", false, (*program).merge},
		{"export", "[DIR] --to FORM", "write a table as csv, json, parquet, feather, mlflow", false, (*program).export},
		{"import", "FILE.csv -o DIR", "make a campaign of results measured elsewhere", false, (*program).importCSV},
		{"eval", "FILE.star [DIR]", "execute an analysis file: derived tables, checks", false, (*program).eval},
		{"archive", "DIR", "make one file of a campaign, for others to keep", false, (*program).archive},
		{"verify", "DIR|FILE", "compare all that a campaign holds with its record", false, (*program).verify},
		{"repair", "--accept-loss DIR", "keep a damaged record up to the damage", false, (*program).repair},
		{"gc", "DIR", "remove what a campaign does not need any more", false, (*program).gc},
		{"check", "FILE...", "find the mistakes of experiment files", false, (*program).check},
		{"fmt", "FILE...", "lay out experiment files", false, (*program).format},
		{"help", "[TOPIC]", "language, cluster, tables, codes, a builtin or a command", true, (*program).help},
		{"version", "", "the version of mpf", false, (*program).version},
	}
}

func (p *program) dispatch(args []string) error {
	if len(args) == 0 {
		p.say.overview(commands())
		return errNoCommand
	}
	if args[0] == "-h" || args[0] == "--help" {
		p.say.usage(commands())
		return nil
	}
	if args[0] == salvageWord {
		return p.salvage()
	}
	for _, c := range commands() {
		if c.name == args[0] {
			if err := c.run(p, args[1:]); !errors.Is(err, errHelp) {
				return err
			}
			return nil
		}
	}
	return unknownCommand(args[0])
}
