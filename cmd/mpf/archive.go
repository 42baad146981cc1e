package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"mpf/cmd/mpf/amount"
	"mpf/cmd/mpf/argv"
	"mpf/results/archive"
	"mpf/results/campaign"
)

// archive makes one file of a campaign.
func (p *program) archive(args []string) error {
	o := newOptions("archive DIR [-o FILE.tar.zst|FILE.zip] [flags]\n\n" +
		"Makes one file of a campaign, with a description for repositories of data (RO-Crate) and a\n" +
		"sum for each file. The same campaign gives the same bytes. mpf verify takes it as it is.")
	out := o.StringP("out", "o", "", "`file`, ending in .tar.zst or .zip; else EXPERIMENT.tar.zst")
	license := o.String("license", "", "`URL` of the licence under which the data may be used")
	authors := o.StringArray("author", nil, "`name` of somebody who made the data; may be repeated")
	if err := o.parse(p, args, 1, 1); err != nil {
		return err
	}
	dir, err := campaignDir(o.Arg(0))
	if err != nil {
		return err
	}
	v := verification{Subject: dir}
	if err := p.verifyCampaign(dir, &v); err != nil {
		return err
	}
	if len(v.Problems) > 0 {
		p.sayVerification(v)
		return &hinted{fmt.Errorf("%s: %w: no archive was made", dir, errNotVerified), v.todo}
	}
	c, err := campaign.Read(dir)
	if err != nil {
		return err
	}
	defer c.Close()
	closed := c.Summary().Closed
	if closed == nil || len(v.Notes) > 0 {
		return &campaign.RefusedError{Dir: dir, What: "is running, or did not end cleanly", Todo: "go on with it first: mpf run " + dir}
	}
	if !closed.Complete {
		p.say.warn("the campaign has runs left to do; the archive holds what there is")
	}
	plan := c.Plan()
	d := archive.Description{
		Experiment: plan.Experiment.Name, Text: plan.Experiment.Doc, Date: closed.Wall.UTC(), MPF: plan.MPF, License: *license, Authors: *authors,
	}
	if *out == "" {
		*out = filepath.Base(plan.Experiment.Name) + ".tar.zst"
	}
	return p.writeArchive(c, *out, d)
}

func (p *program) writeArchive(c *campaign.Campaign, out string, d archive.Description) error {
	format, err := archive.FormatOf(out)
	if err != nil {
		return &usageError{message: err.Error(), todo: "-o FILE.tar.zst or -o FILE.zip"}
	}
	var entries []archive.Entry
	err = replaceFile(out, func(w io.Writer) (err error) {
		entries, err = archive.Write(w, c.Tree(), format, d)
		return err
	})
	if err != nil {
		return err
	}
	info, err := os.Stat(out)
	if err != nil {
		return err
	}
	p.say.talk("%s in %s, %s", amount.Count(len(entries), "file"), out, amount.Bytes(info.Size()))
	p.say.hint("whoever gets it: mpf verify %s", argv.Quote(out))
	return nil
}
