package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"mpf/cmd/mpf/amount"
	"mpf/results/campaign"
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
	dir := o.Arg(0)
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
	file, err := hashed(filepath.Join(dir, tables.SamplesFile))
	if err != nil {
		return nil, err
	}
	file.Path = tables.SamplesFile
	return file, nil
}

func hashed(path string) (file *record.File, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	sum := sha256.New()
	n, err := io.Copy(sum, f)
	return &record.File{Size: n, SHA256: hex.EncodeToString(sum.Sum(nil))}, err
}
