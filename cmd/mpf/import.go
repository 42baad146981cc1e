package main

import (
	"os"
	"path/filepath"
	"strings"

	"mpf/cmd/mpf/amount"
	"mpf/cmd/mpf/argv"
	"mpf/results/campaign"
	"mpf/results/export"
	"mpf/results/tables"
)

// importCSV makes a campaign of results that were measured without mpf.
func (p *program) importCSV(args []string) error {
	o := newOptions("import FILE.csv -o DIR --variables NAME,... [flags]\n\n" +
		"Makes a campaign of a CSV whose first row names its columns: variables as --variables says,\n" +
		"all others results, except status, seconds and started. It can be shown, compared and exported.")
	out := o.StringP("out", "o", "", "`directory` of the campaign that is made; it must not hold one yet")
	variables := o.StringSlice("variables", nil, "which `columns` are variables")
	experiment := o.String("experiment", "", "`name` of the experiment; else the file's")
	if err := o.parse(p, args, 1, 1); err != nil {
		return err
	}
	if *out == "" {
		return o.wrong("-o DIR is missing")
	}
	file, err := os.Open(o.Arg(0))
	if err != nil {
		return unreadable(o.Arg(0), err, "")
	}
	defer file.Close()
	if *experiment == "" {
		*experiment = strings.TrimSuffix(filepath.Base(o.Arg(0)), filepath.Ext(o.Arg(0)))
	}
	source, err := export.ImportCSV(file, export.ImportOptions{Experiment: *experiment, Variables: *variables})
	if err != nil {
		return &usageError{message: o.Arg(0) + ": " + err.Error()}
	}
	if len(*variables) == 0 {
		p.say.warn("no column is a variable, so all rows are replicates of one treatment: --variables NAME,...")
	}
	if len(source.Left) > 0 {
		p.say.talk("left out, as it tells how earlier runs were measured: %s", joined(source.Left))
	}
	publisher := tables.NewPublisher(nil, tables.Options{MPF: mpfVersion()})
	c, err := campaign.Restore(*out, source, campaign.Config{MPF: mpfVersion(), Tables: publisher})
	if err != nil {
		return err
	}
	c.Complete()
	n := rows(c.Count())
	if err := c.Close(); err != nil {
		return err
	}
	p.say.talk("%s in %s", amount.Count(n, "row"), *out)
	p.say.hint("see them: mpf show %s", argv.Quote(*out))
	return nil
}
