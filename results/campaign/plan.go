package campaign

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"mpf/results/durable"
	"mpf/results/fsys"
	"mpf/results/journal"
	"mpf/results/record"
)

// maxPlan bounds the size of a plan file that is read.
const maxPlan = 256 << 20

func planName(number int) string { return fmt.Sprintf("plan/%04d.json", number) }

// addPlan makes a plan durable, as the next one, with its sources.
func (c *Campaign) addPlan(plan record.Plan) error {
	plan.Number = len(c.Plans()) + 1
	if plan.MPF == "" {
		plan.MPF = c.config.MPF
	}
	text, err := journal.EncodePlan(plan)
	if err != nil {
		return fmt.Errorf("plan %d: %w", plan.Number, err)
	}
	plan.SHA256 = durable.SHA256(text)
	name := planName(plan.Number)
	if err := fsys.WriteFile(c.tree, name, text); err != nil {
		return c.fail(err)
	}
	event := &journal.Planned{Plan: plan.Number, File: name, SHA256: plan.SHA256, Reason: plan.Reason}
	if err := c.commit(event); err != nil {
		return err
	}
	c.planning.Lock()
	c.plans = append(slices.Clip(c.plans), plan)
	c.planning.Unlock()
	for _, source := range plan.Experiment.Sources {
		if err := c.AddInput(Input{Path: source.Path, Data: []byte(source.Content)}); err != nil {
			return err
		}
	}
	if plan.Cluster == "" {
		return nil
	}
	return c.AddInput(Input{Path: "cluster.yaml", Data: []byte(plan.Cluster)})
}

// AddInput keeps a file beside the runs, under the number of the plan in force.
// A file that is kept already, and equal, is left alone.
func (c *Campaign) AddInput(input Input) error {
	name := path.Join("inputs", fmt.Sprintf("%04d", len(c.Plans())), input.Path)
	if !filepath.IsLocal(filepath.FromSlash(input.Path)) || strings.Contains(input.Path, "\\") {
		return fmt.Errorf("input %q: not a path below the experiment's folder", input.Path)
	}
	file := record.File{Path: name, Size: int64(len(input.Data)), SHA256: durable.SHA256(input.Data)}
	for _, kept := range c.journal.Summary().Inputs {
		if kept == file {
			return nil
		}
	}
	if err := fsys.MakeDir(c.tree, path.Dir(name)); err != nil {
		return c.fail(err)
	}
	if err := fsys.WriteFile(c.tree, name, input.Data); err != nil {
		return c.fail(err)
	}
	return c.commit(&journal.Kept{File: file})
}

// Extend puts another plan in force. Reason is "extend" or "script".
func (c *Campaign) Extend(plan record.Plan, reason string) error {
	plan.Reason = reason
	return c.addPlan(plan)
}

// Plans returns the plans, the one in force last.
func (c *Campaign) Plans() []record.Plan {
	c.planning.Lock()
	defer c.planning.Unlock()
	return c.plans
}

// Plan returns the plan in force.
func (c *Campaign) Plan() record.Plan {
	plans := c.Plans()
	return plans[len(plans)-1]
}

// loadPlans reads the plans that the journal names.
func (c *Campaign) loadPlans() error {
	var plans []record.Plan
	for _, p := range c.journal.Summary().Plans {
		text, err := durable.Read(c.tree, p.File, p.SHA256, maxPlan)
		if err != nil {
			return err
		}
		plan, err := journal.DecodePlan(text)
		if err != nil {
			return &journal.Damage{File: p.File, What: err.Error()}
		}
		plan.SHA256 = p.SHA256
		plans = append(plans, plan)
	}
	c.planning.Lock()
	defer c.planning.Unlock()
	c.plans = plans
	return nil
}

// InputDir returns the folder of what a plan was made of, relative to the
// campaign's.
func (c *Campaign) InputDir(plan int) string { return fmt.Sprintf("inputs/%04d", plan) }
