package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mpf/engine"
	"mpf/results/columns"
	"mpf/results/export"
	"mpf/results/query"
	"mpf/results/tables"
)

// showOptions choose what is shown of a campaign.
type showOptions struct {
	where, by, stats, sort, columns []string
	results                         []string
	failed, stopped, about, asJSON  bool
	setup                           bool
	run, stdout, stderr             string
}

func (s *showOptions) register(o *options) {
	o.StringArrayVar(&s.where, "where", nil, "only rows for which this holds: `parallel=4`, goodput>1e9, message~refused")
	o.StringSliceVar(&s.by, "by", nil, "group by these `columns` instead of the variables that vary")
	o.StringSliceVar(&s.results, "result", nil, "only these `results`")
	o.StringSliceVar(&s.stats, "stat", nil, "`statistics`: n,mean,median,ci,sd,min,max,p99")
	o.StringSliceVar(&s.sort, "sort", nil, "sort by these `columns`; with - in front downwards")
	o.StringSliceVar(&s.columns, "columns", nil, "the rows themselves, these `columns` of them; all: every column")
	o.BoolVar(&s.failed, "failed", false, "the runs that did not end ok, grouped by cause, with the ends of their logs")
	o.BoolVar(&s.about, "about", false, "how the results came about: design, script, flags, hosts; a file alone says so anyway")
	o.BoolVar(&s.stopped, "stopped", false, "why treatments need no further replicates: what until decided, and when")
	o.BoolVar(&s.setup, "setup", false, "what setup and deployments did: steps, commands, logs of builds")
	o.StringVar(&s.run, "run", "", "one run by the beginning of its `id`: steps, commands, files")
	o.StringVar(&s.stdout, "stdout", "", "all that the commands of a run printed: `id`")
	o.StringVar(&s.stderr, "stderr", "", "all that the commands of a run printed on stderr: `id`")
	o.BoolVar(&s.asJSON, "json", false, "print JSON, for programs")
}

// show prints what a campaign holds.
func (p *program) show(args []string) error {
	o := newOptions("show [DIR|FILE.parquet] [flags]\n\n" +
		"Prints the table of a campaign's results, of the newest one if none is named; or what the\n" +
		"flags ask for instead: its rows, its failures, a run, its logs, how it came about.")
	var s showOptions
	s.register(o)
	if err := o.parse(p, args, 0, 1); err != nil {
		return err
	}
	dir, err := campaignDir(o.Arg(0))
	if err != nil {
		return err
	}
	switch {
	case s.run != "":
		return p.showRun(dir, s.run, s.asJSON)
	case s.stdout != "":
		return p.showOutput(dir, s.stdout, "stdout")
	case s.stderr != "":
		return p.showOutput(dir, s.stderr, "stderr")
	case s.about:
		return p.showAbout(dir, s.asJSON)
	case s.setup:
		return p.showSetup(dir, s.asJSON)
	case s.stopped:
		return p.showStopped(dir)
	}
	frame, err := s.load(dir)
	if err != nil {
		return err
	}
	return p.showFrame(dir, frame, &s)
}

// load reads the columns of the runs that what is shown is made of.
func (s *showOptions) load(dir string) (columns.Frame, error) {
	file, err := openTable(dir, tables.RunsFile)
	if err != nil {
		return columns.Frame{}, err
	}
	defer file.Close()
	if s.failed || slices.Contains(s.columns, "all") {
		return file.Load()
	}
	all := columns.Frame{Columns: file.Columns}
	wanted := map[int]bool{}
	for _, name := range s.named() {
		wanted[all.Find(name)] = true
	}
	return file.LoadOnly(func(i int) bool {
		role := file.Columns[i].Role
		return wanted[i] || len(s.columns) == 0 && (role == columns.Variable || role == columns.Result)
	})
}

// named lists the columns that are named in some way, and those by which a
// summary chooses its rows.
func (s *showOptions) named() []string {
	names := slices.Concat(s.by, s.results, s.columns, []string{"status", "orphaned"})
	for _, name := range s.sort {
		names = append(names, name, strings.TrimPrefix(name, "-"))
	}
	for _, text := range s.where {
		if c, err := query.ParseCondition(text); err == nil { // else it is refused later
			names = append(names, c.Column())
		}
	}
	return names
}

// campaignDir returns the campaign that a word names; without one the newest
// below the default directory. A file stands for itself.
func campaignDir(word string) (string, error) {
	if word != "" {
		if _, err := os.Stat(word); err != nil {
			return "", unreadable(word, err, "name a campaign's directory or a runs.parquet")
		}
		return filepath.EvalSymlinks(word)
	}
	newest, when := "", int64(0)
	latest, err := filepath.Glob(filepath.Join(defaultBase, "*", "latest"))
	if err != nil {
		return "", err
	}
	for _, link := range latest {
		if info, err := os.Stat(link); err == nil && info.ModTime().UnixNano() > when {
			newest, when = link, info.ModTime().UnixNano()
		}
	}
	if newest == "" {
		return "", &usageError{message: "no campaign below " + defaultBase, todo: "name one: mpf show DIR"}
	}
	return filepath.EvalSymlinks(newest)
}

// followed returns where a link leads, such as that to the newest campaign. Of
// what is not there, whoever opens it says more.
func followed(dir string) string {
	if at, err := filepath.EvalSymlinks(dir); err == nil {
		return at
	}
	return dir
}

// loadTable reads a table of a campaign, or the file that dir is.
func loadTable(dir, name string) (columns.Frame, error) {
	file, err := openTable(dir, name)
	if err != nil {
		return columns.Frame{}, err
	}
	defer file.Close()
	return file.Load()
}

// openTable opens a table of a campaign, or the file that dir is.
func openTable(dir, name string) (*tables.File, error) {
	path := tableIn(dir, name)
	file, err := tables.Open(path)
	if err != nil && path != dir {
		return nil, &hinted{err, "a campaign has its tables once its first run has ended; mpf run DIR makes them anew"}
	}
	return file, err
}

func (p *program) showFrame(dir string, frame columns.Frame, s *showOptions) error {
	frame, err := where(frame, s.where)
	if err != nil {
		return err
	}
	switch {
	case s.failed:
		return p.showFailures(dir, frame, s.asJSON)
	case len(s.columns) > 0:
		return p.showRows(frame, s)
	}
	summary, err := p.say.summary(frame, query.Options{By: s.by, Results: s.results, Stats: s.stats, Sort: s.sort})
	if err != nil {
		return &usageError{message: err.Error()}
	}
	if s.asJSON {
		return summary.WriteJSON(p.say.out)
	}
	if filepath.Ext(dir) == ".parquet" {
		if err := p.showAbout(dir, false); err != nil {
			return err
		}
		p.say.print("\n")
	}
	return summary.Render(p.say.out, p.say.tableWidth())
}

func (p *program) showRows(frame columns.Frame, s *showOptions) (err error) {
	chosen := s.columns
	if chosen[0] == "all" {
		chosen = nil
	}
	if frame, err = arrange(frame, s.sort, chosen); err != nil {
		return err
	}
	if s.asJSON {
		return export.Write(p.say.out, frame, export.JSON, nil)
	}
	return query.RenderRows(p.say.out, frame)
}

// summarise prints the table of a campaign's results, once there are any.
func (s *session) summarise(dir string) error {
	frame, err := new(showOptions).load(dir)
	if err != nil || frame.Len() == 0 || s.campaign.Count()[engine.OK] == 0 && !s.options.asJSON {
		return err
	}
	summary, err := s.say.summary(frame, query.Options{})
	if err != nil {
		return err
	}
	if s.options.asJSON {
		return summary.WriteJSON(s.say.out)
	}
	return summary.Render(s.say.out, s.say.tableWidth())
}

// summary describes a frame by the statistics asked for; else by as many of the
// usual ones as fit beside each other.
func (v *voice) summary(frame columns.Frame, o query.Options) (query.Summary, error) {
	if len(o.Stats) > 0 {
		return query.Summarize(frame, o)
	}
	o.Stats = []string{"mean", "median", "ci"}
	summary, err := query.Summarize(frame, o)
	if width := v.tableWidth(); err == nil && width > 0 && summary.Width() > width {
		o.Stats = []string{"mean", "ci"}
		return query.Summarize(frame, o)
	}
	return summary, err
}
