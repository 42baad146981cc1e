package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mpf/cmd/mpf/amount"
	"mpf/results/campaign"
	"mpf/results/columns"
	"mpf/results/export"
	"mpf/results/tables"
)

// exportOptions choose what is exported, and how.
type exportOptions struct {
	to, out, table       string
	where, sort, columns []string
	live, partial        bool
}

func (e *exportOptions) register(o *options) {
	o.StringVar(&e.to, "to", "", "`form`: csv, json, jsonl, parquet, feather or mlflow; else what the name of the file says")
	o.StringVarP(&e.out, "out", "o", "", "`file`, for mlflow the directory that holds mlruns; else standard output")
	o.StringVar(&e.table, "table", "runs", "`table`: runs, steps, usage or samples")
	o.StringArrayVar(&e.where, "where", nil, "only rows for which this holds: `parallel=4`, goodput>1e9, message~refused")
	o.StringSliceVar(&e.sort, "sort", nil, "sort by these `columns`; with - in front downwards")
	o.StringSliceVar(&e.columns, "columns", nil, "only these `columns`, in this order")
	o.BoolVar(&e.partial, "partial", false, "the samples of attempts that have no end, up to where they can be read; column partial is true")
	o.BoolVar(&e.live, "live", false, "what the journal holds at this moment, instead of the tables as published last")
}

// export writes a table, or a store for MLflow, for other programs.
func (p *program) export(args []string) error {
	o := newOptions("export [DIR|FILE.parquet] --to FORM [flags]\n\n" +
		"Writes a table of a campaign in the form that another program reads. Exported twice, it is\n" +
		"the same twice. MLflow's file store gets a run for each row; open it with: mlflow ui")
	var e exportOptions
	e.register(o)
	if err := o.parse(p, args, 0, 1); err != nil {
		return err
	}
	if err := e.settle(); err != nil {
		return err
	}
	dir, err := campaignDir(o.Arg(0))
	if err != nil {
		return err
	}
	if e.partial {
		return p.exportPartial(dir, &e)
	}
	from, done, err := p.exported(dir, e.live)
	if err != nil {
		return err
	}
	defer done()
	if e.to == "mlflow" {
		return p.exportMLflow(dir, from, &e)
	}
	frame, selection, err := e.frame(from)
	if err != nil {
		return err
	}
	return p.writeTable(frame, selection, export.Format(e.to), e.out)
}

// settle fills in what the command line leaves open and refuses what is unknown.
func (e *exportOptions) settle() error {
	if e.to == "" {
		e.to = strings.TrimPrefix(filepath.Ext(e.out), ".")
	}
	forms := append([]export.Format{"mlflow"}, export.Formats()...)
	switch {
	case e.to == "":
		return &usageError{message: "--to is missing", todo: "--to csv, json, jsonl, parquet, feather or mlflow"}
	case !slices.Contains(forms, export.Format(e.to)):
		return &usageError{message: fmt.Sprintf("--to %q: is no form", e.to), todo: "--to csv, json, jsonl, parquet, feather or mlflow"}
	case e.partial && e.to == "mlflow":
		return &usageError{message: "--partial: MLflow has no place for samples without a run that ended", todo: "--to csv, json, jsonl, parquet or feather"}
	case !slices.Contains([]string{"runs", "steps", "usage", "samples"}, e.table):
		return &usageError{message: fmt.Sprintf("--table %q: is none", e.table), todo: "--table runs, steps, usage or samples"}
	}
	return nil
}

// exported returns the directory from which tables are read, and what to do
// with it afterwards: what is live is derived for the occasion.
func (p *program) exported(dir string, live bool) (from string, done func(), err error) {
	if !live {
		return dir, func() {}, nil
	}
	c, err := campaign.Read(dir)
	if err != nil {
		return "", nil, err
	}
	defer c.Close()
	scratch, err := os.MkdirTemp("", "mpf-export-")
	if err != nil {
		return "", nil, err
	}
	if _, err := tables.Derive(p.ctx, c, dir, scratch, p.derived(dir)); err != nil {
		return "", nil, errors.Join(err, os.RemoveAll(scratch))
	}
	return scratch, func() { os.RemoveAll(scratch) }, nil
}

// frame returns what was chosen of a table, and of what it is a part.
func (e *exportOptions) frame(from string) (columns.Frame, *tables.Selection, error) {
	file, err := openTable(from, e.table+".parquet")
	if err != nil {
		return columns.Frame{}, nil, err
	}
	defer file.Close()
	frame, err := file.Load()
	if err == nil {
		frame, err = e.choose(frame)
	}
	return frame, file.Selection(), err
}

// choose picks rows and columns.
func (e *exportOptions) choose(frame columns.Frame) (columns.Frame, error) {
	frame, err := where(frame, e.where)
	if err != nil {
		return frame, err
	}
	return arrange(frame, e.sort, e.columns)
}

// writeTable writes to a file, whole or not at all, or to standard output.
func (p *program) writeTable(frame columns.Frame, from *tables.Selection, format export.Format, out string) error {
	if out == "" || out == "-" {
		return export.Write(p.say.out, frame, format, from)
	}
	if err := replaceFile(out, func(w io.Writer) error { return export.Write(w, frame, format, from) }); err != nil {
		return err
	}
	p.say.talk("%s in %s", amount.Count(frame.Len(), "row"), out)
	return nil
}

// replaceFile writes a file beside its place and renames it when it is whole.
func replaceFile(name string, write func(io.Writer) error) error {
	return replaceFileAs(name, 0o644, write)
}

// replaceFileAs is replaceFile with the permissions of the new file.
func replaceFileAs(name string, mode fs.FileMode, write func(io.Writer) error) error {
	f, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+"-*")
	if err != nil {
		return err
	}
	err = errors.Join(write(f), f.Chmod(mode), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

// exportMLflow writes a run of MLflow for each row, with the files of its attempt.
func (p *program) exportMLflow(dir, from string, e *exportOptions) error {
	if e.out == "" {
		return &usageError{message: "--to mlflow: -o DIR is missing", todo: "-o . makes ./mlruns, where mlflow ui looks"}
	}
	runs, err := tables.Open(tableIn(from, tables.RunsFile))
	if err != nil {
		return err
	}
	name := runs.Campaign.Experiment
	if err := runs.Close(); err != nil {
		return err
	}
	e.table = "runs"
	m := export.MLRuns{Experiment: name, Files: attemptFiles(dir)}
	if m.Runs, _, err = e.frame(from); err != nil {
		return err
	}
	for table, into := range map[string]*columns.Frame{tables.UsageFile: &m.Usage, tables.SamplesFile: &m.Samples} {
		if _, err := os.Stat(filepath.Join(from, table)); err != nil {
			continue // a table alone, or nothing was sampled
		}
		if *into, err = loadTable(from, table); err != nil {
			return err
		}
	}
	if err := export.MLflow(e.out, m); err != nil {
		return err
	}
	p.say.talk("%s in %s", amount.Count(m.Runs.Len(), "run"), filepath.Join(e.out, "mlruns"))
	p.say.hint("see them: mlflow ui --backend-store-uri %s", filepath.Join(e.out, "mlruns"))
	return nil
}

func tableIn(dir, name string) string {
	if info, err := os.Stat(dir); err == nil && info.IsDir() {
		return filepath.Join(dir, name)
	}
	return dir
}

// attemptFiles gives the files of attempts, if there is a campaign around the
// table.
func attemptFiles(dir string) func(run string, attempt int64) fs.FS {
	return func(run string, attempt int64) fs.FS {
		folder := filepath.Join(dir, "runs", run, fmt.Sprint(attempt))
		if info, err := os.Stat(folder); err != nil || !info.IsDir() {
			return nil
		}
		return os.DirFS(folder)
	}
}
