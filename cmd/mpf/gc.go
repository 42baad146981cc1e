package main

import (
	"errors"
	"fmt"

	"mpf/cmd/mpf/amount"
	"mpf/results/campaign"
	"mpf/results/durable"
	"mpf/results/fsys"
	"mpf/results/record"
	"mpf/results/tables"
)

// gc removes what a campaign does not need any more.
func (p *program) gc(args []string) error {
	o := newOptions("gc DIR [flags]\n\n" +
		"Removes what nothing refers to: bytes that a crash cut off, folders of attempts whose\n" +
		"record was lost. Asked for, also the sample segments once samples.parquet holds them.")
	samples := o.Bool("samples", false, "drop the sample segments of a complete campaign, after samples.parquet was compared with them; it takes no run any more")
	if err := o.parse(p, args, 1, 1); err != nil {
		return err
	}
	dir := followed(o.Arg(0))
	var table *record.File
	if *samples {
		var err error
		if table, err = p.verifiedSamples(dir); err != nil {
			return err
		}
	}
	publisher := tables.NewPublisher(nil, p.derived(dir))
	c, err := campaign.Open(dir, campaign.Config{MPF: mpfVersion(), Tables: publisher})
	if err != nil {
		return err
	}
	garbage, err := c.Gc(table)
	if err = firstOf(err, c.Close()); err != nil {
		return err
	}
	p.say.talk("%s removed, %s", amount.Count(garbage.Files, "file"), amount.Bytes(garbage.Bytes))
	return nil
}

// verifiedSamples returns samples.parquet after it was found to hold what the
// segments hold.
func (p *program) verifiedSamples(dir string) (*record.File, error) {
	v := verification{Subject: dir}
	if err := p.verifyCampaign(dir, &v); err != nil {
		return nil, err
	}
	if len(v.Problems) > 0 {
		p.sayVerification(v)
		return nil, &hinted{fmt.Errorf("%s: %w: nothing was removed", dir, errNotVerified), v.todo}
	}
	tree, err := fsys.OpenDir(dir)
	if err != nil {
		return nil, err
	}
	file, err := durable.Hash(tree, tables.SamplesFile)
	return &file, errors.Join(err, tree.Close())
}
