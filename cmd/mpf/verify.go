package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"mpf/cmd/mpf/amount"
	"mpf/cmd/mpf/argv"
	"mpf/results/archive"
	"mpf/results/campaign"
	"mpf/results/inspect"
	"mpf/results/tables"
)

// errNotVerified ends mpf where something is not as it was recorded.
var errNotVerified = errors.New("not as it was recorded")

// verify reads all that a campaign holds and compares it with its record.
func (p *program) verify(args []string) error {
	o := newOptions("verify DIR|ARCHIVE|FILE.parquet [flags]\n\n" +
		"Reads everything: each frame of the journal, the files that it names by their hashes,\n" +
		"and each value of the tables, which are derived anew and compared. Changes nothing.")
	wantJSON := o.Bool("json", false, "print JSON, for programs")
	if err := o.parse(p, args, 0, 1); err != nil {
		return err
	}
	dir, err := campaignDir(o.Arg(0))
	if err != nil {
		return err
	}
	v := verification{Subject: dir, Problems: []string{}, Notes: []string{}}
	if err := p.verifyAny(dir, &v); err != nil {
		return err
	}
	if !*wantJSON {
		p.sayVerification(v)
	} else if err := p.say.json(v); err != nil {
		return err
	}
	if len(v.Problems) > 0 {
		return &hinted{fmt.Errorf("%s: %w", dir, errNotVerified), v.todo}
	}
	return nil
}

// A verification is what came of a comparison.
type verification struct {
	Subject  string   `json:"subject"`
	Frames   uint64   `json:"frames"`
	Attempts int64    `json:"attempts"`
	Files    int64    `json:"files"`
	Bytes    int64    `json:"bytes"`
	Rows     int64    `json:"rows"` // of tables
	Problems []string `json:"problems"`
	Notes    []string `json:"notes"`

	todo string // about the problems
}

func (v *verification) note(format string, args ...any) {
	v.Notes = append(v.Notes, fmt.Sprintf(format, args...))
}

func (p *program) verifyAny(word string, v *verification) error {
	info, err := os.Stat(word)
	if err != nil {
		return unreadable(word, err, "name a campaign's directory, its archive or one of its tables")
	}
	if info.IsDir() {
		return p.verifyCampaign(word, v)
	}
	if strings.HasSuffix(word, ".parquet") {
		return verifyTable(word, v)
	}
	if _, err := archive.FormatOf(word); err == nil {
		return p.verifyArchive(word, v)
	}
	return &usageError{message: word + ": is no campaign", todo: "name a campaign's directory, its archive or one of its tables"}
}

// verifyArchive unpacks an archive, which compares its files with its sums, and
// compares the campaign in it with its record.
func (p *program) verifyArchive(name string, v *verification) error {
	scratch, err := os.MkdirTemp("", "mpf-verify-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	dir := filepath.Join(scratch, "campaign")
	if _, err := archive.Extract(name, dir); err != nil {
		v.Problems = append(v.Problems, err.Error())
		v.todo = "get the archive again from where it came from"
		return nil
	}
	return p.verifyCampaign(dir, v)
}

// verifyTable reads a table that has no campaign around it: what can be told is
// that all of it can be read.
func verifyTable(path string, v *verification) error {
	file, err := tables.Open(path)
	if err != nil {
		v.Problems = append(v.Problems, err.Error())
		return nil
	}
	defer file.Close()
	if _, err := file.Load(); err != nil {
		v.Problems = append(v.Problems, err.Error())
	}
	v.Files, v.Rows = 1, file.Rows()
	v.note("a table alone: its values were read, and compared with nothing")
	return nil
}

func (p *program) verifyCampaign(dir string, v *verification) error {
	c, err := campaign.Read(dir)
	if err != nil {
		return err
	}
	defer c.Close()
	found, err := inspect.Verify(c)
	if err != nil {
		return err
	}
	v.Frames, v.Attempts, v.Files, v.Bytes = found.Frames, found.Attempts, found.Files, found.Bytes
	v.Problems = append(v.Problems, found.Problems...)
	v.todo = "files that are lost make their runs doubtful: move the campaign aside and repeat them, or get the files from a copy"
	if found.Torn > 0 {
		v.note("%d bytes at the journal's end were never acknowledged: a crash cut them off", found.Torn)
	}
	if found.Stale {
		v.note("manifest.json is older than the journal, so files that only it lists were not compared: mpf run %s writes it anew", argv.Quote(dir))
	}
	return p.verifyTables(c, dir, v)
}

func (p *program) verifyTables(c *campaign.Campaign, dir string, v *verification) error {
	scratch, err := os.MkdirTemp("", "mpf-verify-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	found, err := tables.Compare(p.ctx, c, dir, scratch, p.derived())
	if err != nil {
		v.Problems = append(v.Problems, "tables: cannot be derived: "+err.Error())
		return nil
	}
	v.Rows = found.Rows
	if len(found.Problems) > 0 && len(v.Problems) == 0 {
		v.todo = "the record is whole: remove the tables that differ and have them made anew with: mpf run " + dir
	}
	v.Problems = append(v.Problems, found.Problems...)
	for _, name := range found.Stale {
		v.note("%s is older than the journal: mpf run %s makes it anew", name, argv.Quote(dir))
	}
	for _, name := range found.Missing {
		v.note("%s is not there: mpf run %s makes it anew", filepath.Base(name), argv.Quote(dir))
	}
	return nil
}

func (p *program) sayVerification(v verification) {
	for _, problem := range v.Problems {
		p.say.print("%s\n", problem)
	}
	for _, note := range v.Notes {
		p.say.talk("%s", note)
	}
	if len(v.Problems) == 0 {
		p.say.print("%s: ok: %s, %s, %s in %s, %s of tables\n", v.Subject, amount.Count(v.Frames, "frame"),
			amount.Count(v.Attempts, "attempt"), amount.Bytes(v.Bytes), amount.Count(v.Files, "file"), amount.Count(v.Rows, "row"))
	}
}
