package main

import (
	"os"
	"path/filepath"

	"mpf/cmd/mpf/amount"
	"mpf/results/campaign"
	"mpf/results/journal"
	"mpf/results/tables"
)

// isBareTable reports whether runs.parquet is all that is left of a campaign in
// a directory.
func isBareTable(dir string) bool {
	info, err := os.Stat(filepath.Join(dir, tables.RunsFile))
	return err == nil && info.Mode().IsRegular() && campaign.NeedsRestore(dir)
}

// restore makes the record of a campaign anew from its table of runs, where
// nothing else is left of it. Commands, logs and files of its runs are gone.
func (p *program) restore(dir string) error {
	if !isBareTable(dir) {
		return nil
	}
	source, err := tables.Restore(filepath.Join(dir, tables.RunsFile), journal.DecodePlan)
	if err != nil {
		return &campaign.RefusedError{Dir: dir, What: "its record cannot be made anew: " + err.Error(), Err: err,
			Todo: "begin another campaign with: mpf run --new FILE"}
	}
	c, err := campaign.Restore(dir, source, campaign.Config{MPF: mpfVersion()})
	if err != nil {
		return err
	}
	if err := p.restoreSources(dir, c); err != nil {
		return firstOf(err, c.Close())
	}
	n := rows(c.Count())
	p.say.talk("%s: only %s was left: its record is made anew, with %s", dir, tables.RunsFile, amount.Count(n, "row"))
	return c.Close()
}

// restoreSources keeps what the table carries of what was deployed.
func (p *program) restoreSources(dir string, c *campaign.Campaign) error {
	file, err := tables.Open(filepath.Join(dir, tables.RunsFile))
	if err != nil {
		return err
	}
	defer file.Close()
	in, err := file.Inputs()
	if err != nil {
		return err
	}
	for _, name := range sorted(in.Deployed) {
		if err := addDeployed(c, name, in.Deployed[name]); err != nil {
			return err
		}
	}
	return nil
}
