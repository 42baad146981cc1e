package main

import (
	"os"
	"path/filepath"

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
	n := rows(c.Count())
	p.say.talk("%s: only %s was left: its record is made anew, with %s", dir, tables.RunsFile, count(n, "row"))
	return c.Close()
}
