package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"mpf/engine"
	"mpf/remote/deploy"
	"mpf/remote/inventory"
	"mpf/results/campaign"
	"mpf/results/drift"
	"mpf/results/journal"
	"mpf/results/record"
	"mpf/results/tables"
)

// replay begins the campaign that a table describes once more, elsewhere: the
// same runs, with the same IDs, in the same order.
func (p *program) replay(args []string) error {
	o := newOptions("replay FILE.parquet|DIR [-c FILE] [flags]\n\n" +
		"Starts the campaign that a runs.parquet describes anew, on other hosts: the script, its\n" +
		"flags and its seed are in the table. Run IDs and order are the same, so that the tables join.")
	r := runOptions{base: defaultBase}
	r.register(o)
	unpackTo := o.String("unpack", "", "only write the script, what it loads and deploys, and the cluster file to a `directory`")
	if err := o.parse(p, args, 1, 1); err != nil {
		return err
	}
	r.new = r.out == "" // what is below the default directory may be the original
	// The campaign that is made holds its flags and says where its cluster file is.
	r.given = o.given("unpack", "out", "cluster", "flag", "new", "accept-script", "retry", "fail-fast", "json")
	again, err := r.check()
	if err != nil {
		return err
	}
	old, err := readReplayed(o.Arg(0))
	if err != nil {
		return err
	}
	if *unpackTo != "" {
		return p.unpack(old, *unpackTo)
	}
	return p.startAgain(old, &r, again)
}

// startAgain executes what a table says was executed.
func (p *program) startAgain(old *replayed, r *runOptions, again map[engine.Status]bool) error {
	folder, err := os.MkdirTemp("", "mpf-replay-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	script, err := old.write(folder)
	if err != nil {
		return err
	}
	r.flags = append(flagsOf(old.plan.Experiment), r.flags...)
	l, err := p.load(script, &r.choice)
	if err != nil {
		return err
	}
	if err := old.wantSources(l.experiment); err != nil {
		return err
	}
	r.carried = carriedOf(old.sources)
	if err := p.sayReplayed(old, l.experiment, r); err != nil {
		return err
	}
	return p.start(l, r, again)
}

// A replayed campaign is what a table holds of how it came about.
type replayed struct {
	path    string
	inputs  tables.Inputs
	plan    record.Plan // the last one
	sources []keptSource
}

func readReplayed(word string) (*replayed, error) {
	old := &replayed{path: word}
	const todo = "name a runs.parquet, or the directory of a campaign"
	info, err := os.Stat(word)
	if err != nil {
		return nil, unreadable(word, err, todo)
	}
	if info.IsDir() {
		old.path = filepath.Join(word, tables.RunsFile)
	}
	file, err := tables.Open(old.path)
	if err != nil {
		return nil, unreadable(old.path, err, todo)
	}
	defer file.Close()
	var none *tables.NoInputsError
	if old.inputs, err = file.Inputs(); errors.As(err, &none) {
		return nil, &usageError{message: err.Error(), todo: none.Hint()}
	} else if err != nil {
		return nil, err
	}
	old.sources, err = decodeSources(sorted(old.inputs.Deployed), func(name string) ([]byte, error) { return old.inputs.Deployed[name], nil })
	if err != nil {
		return nil, fmt.Errorf("%s: deployed sources in its metadata: %w", old.path, err)
	}
	if len(old.inputs.Sources) == 0 || len(old.inputs.Plans) == 0 {
		return nil, &usageError{message: old.path + ": carries no script, so there is nothing to run again", todo: "see its rows: mpf show " + old.path}
	}
	last := ""
	for name := range old.inputs.Plans {
		last = max(last, name)
	}
	if old.plan, err = journal.DecodePlan([]byte(old.inputs.Plans[last])); err != nil {
		return nil, fmt.Errorf("%s: plan in its metadata: %w", old.path, err)
	}
	return old, nil
}

// write writes the script and what it loads below a folder, and returns the path
// of the script.
func (r *replayed) write(folder string) (string, error) {
	script, err := writeSources(folder, r.inputs.Sources)
	if err != nil {
		return "", fmt.Errorf("%s: %w", r.path, err)
	}
	return script, nil
}

// unpack writes the inputs of a campaign for people to read and change.
func (p *program) unpack(old *replayed, dir string) error {
	if err := os.Mkdir(dir, 0o777); err != nil {
		return &usageError{message: "--unpack " + err.Error(), todo: "name a directory that does not exist yet"}
	}
	script, err := old.write(dir)
	if err != nil {
		return err
	}
	p.say.print("%s\n", script)
	if err := p.unpackSources(old, dir); err != nil {
		return err
	}
	if old.inputs.Cluster == "" {
		return nil
	}
	cluster := filepath.Join(dir, "cluster.yaml")
	if err := os.WriteFile(cluster, []byte(old.inputs.Cluster), 0o600); err != nil {
		return err
	}
	p.say.print("%s\n", cluster)
	return nil
}

// unpackSources writes the folders that were deployed, as they were last, where
// the script looks for them.
func (p *program) unpackSources(old *replayed, dir string) error {
	for i, k := range old.sources {
		if newest(old.sources, k.Carried) != i || len(k.Archive) == 0 || k.Revision != "" || !filepath.IsLocal(k.Source) {
			continue
		}
		folder := filepath.Join(dir, k.Source)
		if err := k.Unpack(folder); err != nil {
			return err
		}
		p.say.print("%s\n", folder)
	}
	return nil
}

// wantSources refuses an experiment that deploys a folder which the table does
// not carry: it was too large, or nothing was deployed when the table was made.
func (r *replayed) wantSources(e *engine.Experiment) error {
	for _, d := range e.Deployments {
		if d.Source == "" || filepath.IsAbs(d.Source) || strings.Contains(d.Source, ":") {
			continue
		}
		if i := newest(r.sources, deploy.Carried{Source: d.Source, Revision: d.Revision}); i < 0 || len(r.sources[i].Archive) == 0 {
			return &usageError{message: fmt.Sprintf("%s: its script deploys the folder %q, which the table does not carry", r.path, d.Source),
				todo: "mpf replay --unpack DIR " + r.path + "; put the folder there and give: mpf run DIR/" + r.inputs.Sources[0].Path}
		}
	}
	return nil
}

// sayReplayed says what is executed again, and refuses if this mpf reads the
// script in another way than the one that made the table.
func (p *program) sayReplayed(old *replayed, e *engine.Experiment, r *runOptions) error {
	differs := drift.Compare(old.plan.Experiment, *e)
	if different := append(differs.Other, differs.Design...); len(different) > 0 {
		return &campaign.RefusedError{Dir: old.path, What: "its script gives another design here: " + joined(different),
			Todo: "see it: mpf replay --unpack DIR " + old.path, Err: errors.New("made by mpf " + old.plan.MPF)}
	}
	if len(differs.Script) > 0 {
		p.say.warn("not as it was measured: %s", joined(differs.Script))
	}
	p.say.talk("replaying %s, made by mpf %s", old.path, old.plan.MPF)
	if old.inputs.Cluster != "" && r.cluster == "" {
		p.say.warn("it was measured on other hosts (%s); here this machine plays every role", joined(hostNames(old)))
		p.say.hint("with hosts of yours: mpf replay %s -c FILE", old.path)
	}
	return nil
}

// hostNames lists the hosts of the cluster on which a table was measured.
func hostNames(old *replayed) []string {
	cluster, err := inventory.Parse("cluster.yaml", []byte(old.inputs.Cluster))
	if err != nil {
		return []string{"hosts that this mpf cannot read"}
	}
	var names []string
	for _, h := range cluster.Hosts {
		names = append(names, h.Name)
	}
	return names
}
