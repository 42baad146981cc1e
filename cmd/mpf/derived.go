package main

import (
	"fmt"
	"os"
	"path/filepath"

	"mpf/engine"
	"mpf/engine/design"
	"mpf/results/record"
	"mpf/results/tables"
	"mpf/starlib"
)

// derived says how the tables of campaigns that are only looked after are made:
// as mpf run makes them, with the hosts that the present tables tell of.
func (p *program) derived(dirs ...string) tables.Options {
	var known surroundings
	for _, dir := range dirs {
		known.from(dir)
	}
	return tables.Options{MPF: mpfVersion(), InDesign: p.recordedHolder, Manifest: known.text}
}

// recordedHolder returns what knows the design of a plan. Where its script cannot
// be read any more that is said, and nil.
func (p *program) recordedHolder(plan record.Plan) tables.Holds {
	if len(plan.Experiment.Sources) == 0 {
		return nil // imported: there is no rule but the levels
	}
	d, err := p.recordedDesign(plan)
	if err != nil {
		p.say.warn("rows outside the design are told by their levels only: the script of plan %d cannot be read: %v", plan.Number, err)
		return nil
	}
	return holderOf(d)
}

// recordedDesign makes the design of a plan from the script that it keeps.
func (p *program) recordedDesign(plan record.Plan) (*design.Design, error) {
	folder, err := os.MkdirTemp("", "mpf-plan-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	script, err := writeSources(folder, plan.Experiment.Sources)
	if err != nil {
		return nil, err
	}
	flags, err := parseFlags(flagsOf(plan.Experiment))
	if err != nil {
		return nil, err
	}
	e, err := starlib.Load(p.ctx, script, starlib.Options{Flags: flags, Print: func(engine.Pos, string) {}})
	if err != nil {
		return nil, err
	}
	return design.New(e)
}

// writeSources writes a script and what it loads below a folder, and nowhere
// else: the names come from a record. It returns the path of the script.
func writeSources(folder string, sources []engine.Source) (string, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return "", err
	}
	defer root.Close()
	for _, s := range sources {
		name := filepath.FromSlash(s.Path)
		if err := root.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			return "", fmt.Errorf("source %q: %w", s.Path, err)
		}
		if err := root.WriteFile(name, []byte(s.Content), 0o600); err != nil {
			return "", fmt.Errorf("source %q: %w", s.Path, err)
		}
	}
	return filepath.Join(folder, filepath.FromSlash(sources[0].Path)), nil
}

// holderOf returns what reports whether a design has the run of an attempt that
// was made under an earlier plan.
func holderOf(d *design.Design) tables.Holds {
	holds := d.Holder()
	return func(of record.Plan, a *record.Attempt) bool {
		return holds(design.Recorded{Variables: of.Experiment.Variables, Run: a.Start.Run})
	}
}
