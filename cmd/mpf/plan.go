package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/term"

	"mpf/cmd/mpf/argv"
	"mpf/cmd/mpf/planned"
	"mpf/cmd/mpf/standing"
	"mpf/engine/design/draw"
	"mpf/results/campaign"
	"mpf/results/shelf"
	"mpf/results/tables"
)

// planOptions say how a plan is shown.
type planOptions struct {
	format string
	asJSON bool
	dot    bool
	tree   bool
	first  int64
	given  []string // flags that mpf run takes too
}

func (v *planOptions) register(o *options) {
	o.StringVar(&v.format, "format", "text", "`text`; json: the same, for programs; csv or parquet: every run in its order")
	o.BoolVar(&v.asJSON, "json", false, "the same as --format json")
	o.BoolVar(&v.dot, "dot", false, "the diagram of the space, for Graphviz: mpf plan --dot FILE | dot -Tsvg")
	o.BoolVar(&v.tree, "tree", false, "the treatments as a tree instead of the first runs")
	o.Int64Var(&v.first, "first", 5, "how many of the first `N` runs to show")
}

// check makes one format of what was asked for.
func (v *planOptions) check(out io.Writer) error {
	if v.asJSON {
		v.format = "json"
	}
	if v.dot {
		v.format = "dot"
	}
	switch v.format {
	case "text", "json", "csv", "dot":
		return nil
	case "parquet":
		if file, ok := out.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
			return &usageError{message: "--format parquet: a terminal cannot show it", todo: "mpf plan --format parquet FILE >plan.parquet"}
		}
		return nil
	}
	return &usageError{message: fmt.Sprintf("--format %q: is no format of a plan", v.format), todo: "--format text, json, csv or parquet"}
}

// plan counts an experiment and shows the order of its runs. Nothing runs. With
// a campaign's directory it says what the experiment means for that campaign.
func (p *program) plan(args []string) error {
	o := newOptions("plan [DIR] FILE [flags]\n\n" +
		"Counts an experiment and shows the order of its runs; nothing runs. With DIR it says what FILE\n" +
		"means for that campaign; DIR alone takes the file that the campaign was made of.")
	var c choice
	c.register(o)
	c.registerCluster(o.FlagSet)
	var v planOptions
	v.register(o)
	if err := o.parse(p, args, 1, 2); err != nil {
		return err
	}
	if err := v.check(p.say.out); err != nil {
		return err
	}
	dir, file, err := planTarget(o.Args(), &c)
	if err != nil {
		return err
	}
	v.given = o.given("format", "json", "dot", "tree", "first")
	l, err := p.load(file, &c)
	if err != nil {
		return err
	}
	for _, w := range l.design.Warnings() {
		p.say.warn("%v", w)
	}
	switch v.format {
	case "csv":
		return draw.CSV(cancelled{p.ctx, p.say.out}, l.part)
	case "parquet":
		return tables.WritePlan(cancelled{p.ctx, p.say.out}, l.frozen(), l.part.First(l.part.Runs()))
	case "dot":
		return draw.DOT(cancelled{p.ctx, p.say.out}, l.design.Space())
	}
	return p.planAgainst(l, &v, dir, file)
}

// planTarget returns the campaign, or "", and the file that a command line names.
// A campaign alone stands for the file that it was made of.
func planTarget(words []string, c *choice) (dir, file string, err error) {
	if len(words) == 2 {
		if info, err := os.Stat(words[0]); err != nil || !info.IsDir() {
			return "", "", &usageError{message: fmt.Sprintf("%q is no campaign's directory", words[0]), todo: "mpf plan DIR FILE shows what an edited FILE means for the campaign in DIR"}
		}
		dir, err = filepath.EvalSymlinks(words[0])
		return dir, words[1], err
	}
	r := runOptions{choice: *c}
	file, err = target(words[0], &r)
	*c = r.choice
	return r.out, file, err
}

// planAgainst shows a plan with how the campaign stands that it belongs to: the
// one in dir, or the newest if it can be gone on with.
func (p *program) planAgainst(l *loaded, v *planOptions, dir, file string) error {
	s, err := p.standingOf(l, dir)
	if err != nil {
		return err
	}
	shown := planned.Plan{Whole: l.design, Part: l.part, Standing: s, Groups: len(l.cluster.Groups), First: v.first, Tree: v.tree}
	if v.format == "json" {
		err = shown.JSON(p.say.out)
	} else {
		err = shown.Text(p.say.out)
	}
	if err != nil || dir == "" {
		return err
	}
	return p.planVerdict(s, v, dir, file)
}

// planVerdict says what to do next about a campaign that a plan was held
// against.
func (p *program) planVerdict(s *standing.Standing, v *planOptions, dir, file string) error {
	command := strings.Join(slices.Concat([]string{"mpf run"}, v.given, []string{"--extend -o", argv.Quote(dir), argv.Quote(file)}), " ")
	switch {
	case len(s.Drift.Other) > 0:
		return &hinted{s.Refusal, "begin another campaign with: mpf run --new " + argv.Quote(file)}
	case s.Refusal != nil:
		return &hinted{s.Refusal, fmt.Sprintf("go on all the same with: %s --accept-script; or begin another campaign with: mpf run --new %s", command, argv.Quote(file))}
	case s.Todo == 0 && s.Drift.Same():
		p.say.hint("nothing to run; the results: mpf show %s", argv.Quote(dir))
	default:
		p.say.hint("run what is missing: %s", command)
	}
	return nil
}

// standingOf finds how the campaign stands: the one in dir, else the newest of
// the experiment if its runs can count; nil if there is none.
func (p *program) standingOf(l *loaded, dir string) (*standing.Standing, error) {
	wanted := dir != ""
	if !wanted {
		var err error
		if dir, _, err = shelf.Find(defaultBase, l.experiment.Name); err != nil || dir == "" {
			return nil, err
		}
	}
	c, err := campaign.Read(dir)
	if err != nil {
		if wanted {
			return nil, err
		}
		p.say.warn("what was measured before is not known: %v", err)
		return nil, nil
	}
	defer c.Close()
	s := standing.Compare(c, l.frozen())
	if len(s.Drift.Other) > 0 && !wanted {
		return nil, nil
	}
	if s.Settled, _, err = standing.Settle(c, l.part, s.Drift.Same()); err != nil {
		return nil, err
	}
	return s, s.Measure(c, l.part)
}
