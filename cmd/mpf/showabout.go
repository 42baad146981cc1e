package main

import (
	"fmt"
	"strings"

	"mpf/cmd/mpf/amount"
	"mpf/engine"
	"mpf/results/tables"
)

// showAbout prints how the results of a table came about: design, script,
// hosts.
func (p *program) showAbout(dir string, asJSON bool) error {
	path := tableIn(dir, tables.RunsFile)
	file, err := tables.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	if asJSON {
		return p.say.json(aboutJSON{file.Name, file.Rows(), file.Campaign, hostsIn(file)})
	}
	c := file.Campaign
	p.say.print("experiment %s\n", c.Experiment)
	if doc := strings.TrimSpace(c.Doc); doc != "" {
		p.say.print("           %s\n", strings.ReplaceAll(doc, "\n", "\n           "))
	}
	p.say.print("design     %s x %s = %s, order %s, seed %d\n", amount.Count(c.Treatments, "treatment"), amount.Count(c.Replicates, "replicate"), amount.Count(c.Runs, "run"), c.Order, c.Seed)
	p.say.print("rows       %s, %s\n", amount.Thousands(file.Rows()), extent(file))
	p.say.print("made by    mpf %s, %s\n", c.MPF, amount.Count(len(c.Plans), "plan"))
	if file.Name == tables.RunsFile && file.Selected == nil {
		p.aboutInputs(path, file)
	}
	return nil
}

// An aboutJSON is how a table came about, with all facts of its hosts.
type aboutJSON struct {
	Table    string          `json:"table"`
	Rows     int64           `json:"rows"`
	Campaign tables.Campaign `json:"campaign"`
	Hosts    []hostJSON      `json:"hosts"`
}

// extent says how much of its campaign a table holds.
func extent(file *tables.File) string {
	switch s := file.Selected; {
	case s != nil:
		return fmt.Sprintf("selected from the %s of %s: to go on or to replay takes that file",
			amount.Thousands(s.Rows), s.Table)
	case file.Campaign.Complete:
		return "complete"
	}
	return "not complete"
}

// aboutInputs prints what only the table of runs carries.
func (p *program) aboutInputs(path string, file *tables.File) {
	if old, err := readReplayed(path); err == nil {
		for _, s := range old.inputs.Sources {
			p.say.print("script     %s, sha256 %.12s\n", s.Path, s.SHA256)
		}
		for _, f := range old.plan.Experiment.Flags {
			p.say.print("flag       %s = %s\n", f.Name, engine.FormatValue(f.Value))
		}
	}
	for _, host := range hostsIn(file) {
		p.say.print("host       %s: %s\n", host.Name, hostWords(engine.HostInfo{Facts: factsOf(host)}))
		for _, tool := range toolWords(host.Facts) {
			p.say.print("           tool %s\n", tool)
		}
		if len(host.Noise) > 0 {
			p.say.print("           noisy: %s\n", joined(host.Noise))
		}
		p.aboutCare(host)
	}
}

// aboutCare prints what was changed on a host, and what disturbed it meanwhile.
func (p *program) aboutCare(host hostJSON) {
	for _, c := range host.Tuned {
		switch {
		case c.Missing != "":
			p.say.print("           %s not set: %s\n", c.Name, c.Missing)
		case c.End != "":
			p.say.print("           %s set: %q, was %q; %q at the end\n", c.Name, c.After, c.Before, c.End)
		default:
			p.say.print("           %s set: %q, was %q\n", c.Name, c.After, c.Before)
		}
	}
	if n := host.Report; n != nil {
		p.say.print("           %s\n", noiseWords(*n))
	}
}

// factsOf makes ints of the whole numbers that JSON has as floats.
func factsOf(host hostJSON) map[string]engine.Value {
	facts := map[string]engine.Value{}
	for name, v := range host.Facts {
		if x, ok := v.(float64); ok && x == float64(int64(x)) {
			v = int64(x)
		}
		facts[name] = v
	}
	return facts
}
