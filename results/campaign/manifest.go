package campaign

import (
	"errors"
	"io"
	"io/fs"
	"path"

	"mpf/results/durable"
	"mpf/results/fsys"
	"mpf/results/manifest"
	"mpf/results/record"
)

// writeManifest writes the manifest after everything that it lists.
func (c *Campaign) writeManifest(tables []record.File) error {
	plan := c.Plan()
	head := manifest.Manifest{
		MPF: c.config.MPF, Experiment: plan.Experiment.Name, Seed: plan.Experiment.Seed,
		Plan: plan.Number, PlanSHA256: plan.SHA256, Durability: string(c.config.Durability),
		LastFrame: c.journal.Summary().N, Complete: c.complete,
	}
	return fsys.Replace(c.tree, manifest.Name, func(w io.Writer) error {
		out := manifest.Begin(w, head)
		if err := c.manifestFiles(tables, out.Add); err != nil {
			return err
		}
		return out.End()
	})
}

// manifestFiles lists what the campaign holds: hashes of the files of attempts
// are those of the journal, and so are those of its own segments; the others are
// computed.
func (c *Campaign) manifestFiles(tables []record.File, add func(manifest.Entry)) error {
	known := c.journal.Sealed()
	for _, dir := range []string{"plan", "inputs", "setup", "journal"} {
		if err := c.hashFolder(dir, known, add); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	for left, err := range c.left() {
		if err != nil {
			return err
		}
		for _, f := range left.Files {
			f.Path = path.Join(attemptDir(left.Run, left.Attempt), f.Path)
			add(manifest.Entry(f))
		}
	}
	for _, f := range tables {
		add(manifest.Entry(f))
	}
	return nil
}

// hashFolder lists the files of a folder, and hashes those that are not known.
func (c *Campaign) hashFolder(dir string, known map[string]record.File, add func(manifest.Entry)) error {
	entries, err := c.tree.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := path.Join(dir, e.Name())
		if e.IsDir() {
			if err := c.hashFolder(name, known, add); err != nil {
				return err
			}
			continue
		}
		file, ok := known[name]
		if !ok {
			if file, err = durable.Hash(c.tree, name); err != nil {
				return err
			}
		}
		add(manifest.Entry(file))
	}
	return nil
}
