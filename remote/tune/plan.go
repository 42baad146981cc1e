package tune

import (
	"context"
	"fmt"
	"strings"

	"mpf/engine"
	"mpf/remote/inventory"
	"mpf/remote/wire"
)

// A Machine is a host that can be looked at.
type Machine interface {
	Look(ctx context.Context, patterns ...string) ([]wire.File, error)
	Ask(ctx context.Context, argv ...string) (string, error)
	Keep(ctx context.Context, script string) error
	Restore(ctx context.Context) (string, error)
}

// A Wanted is what the cluster file asks of a host.
type Wanted struct {
	Host       string
	Settings   []inventory.Setting
	Interfaces []inventory.Interface
	Links      []inventory.Link // shaped ones; of their ends, those of the host
	Elsewhere  []Change         // that other hosts of the same machine make
	Root       string           // where its /proc and /sys lie; empty: at the root
}

// None reports whether nothing is asked.
func (w Wanted) None() bool {
	for _, i := range w.Interfaces {
		if i.Prefix != "" {
			return false
		}
	}
	return len(w.Settings)+len(w.Links)+len(w.Elsewhere) == 0
}

// An Origin is who asked for a step.
type Origin struct {
	Name, Value string
	Optional    bool
	Pos         engine.Pos
}

// A Step is a change of the host: a value written to files of the kernel, or a
// command that another one undoes.
type Step struct {
	Origin   Origin
	Files    []wire.File // as they were found
	Pattern  string      // that found them
	Value    string
	Do, Undo []string
	Before   string // of a command: what Undo brings back
	Network  bool   // of the network namespace in which it is made
	Made     made   // of a command: how to tell that there is something to undo
}

// made is a command that prints a text where a step was made and nobody else has
// undone it. The zero value is a step that may be undone at any time.
type made struct {
	look []string
	text string // empty: anything
}

// A Missing is what was asked and cannot be had.
type Missing struct {
	Origin Origin
	What   string
	Hint   string // or empty: the usual one
}

// A Plan is what has to be done on a host. Standing is what is so without it.
type Plan struct {
	Host     string
	Steps    []Step
	Standing []Change
	Missing  []Missing
}

// makePlan plans what is asked of a host. An error is one of reaching it.
func makePlan(ctx context.Context, m Machine, w Wanted) (*Plan, error) {
	p := planner{ctx: ctx, machine: m, root: w.Root, plan: &Plan{Host: w.Host}, settings: w.Settings}
	for _, s := range inventory.InOrder(w.Settings) {
		p.origin = Origin{Name: s.Name, Value: s.Value, Optional: s.Optional, Pos: s.Pos}
		p.setting(s)
	}
	for _, i := range w.Interfaces {
		if i.Prefix != "" {
			p.origin = Origin{Name: fmt.Sprintf("interface %q", i.Name), Value: i.Address + "/" + i.Prefix, Pos: i.Pos}
			p.address(i)
		}
	}
	for _, l := range w.Links {
		for _, end := range l.Ends {
			if end.Host == w.Host {
				p.origin = Origin{Name: fmt.Sprintf("link %q", l.Name), Value: shapeWords(l), Pos: l.Pos}
				p.shape(l, interfaceOf(w.Interfaces, end.Interface))
			}
		}
	}
	return p.plan, p.err
}

// A planner looks at a host for one origin after the other. Its first error
// sticks.
type planner struct {
	ctx      context.Context
	machine  Machine
	root     string
	plan     *Plan
	origin   Origin
	settings []inventory.Setting
	err      error
}

// look reads files of the host; their paths are given back without the root.
func (p *planner) look(pattern string) []wire.File {
	if p.err != nil {
		return nil
	}
	files, err := p.machine.Look(p.ctx, p.root+pattern)
	if err != nil {
		p.err = err
	}
	for i := range files {
		files[i].Path = files[i].Path[len(p.root):]
	}
	return files
}

// text is what a file holds; empty where there is none.
func (p *planner) text(path string) string {
	if files := p.look(path); len(files) > 0 {
		return files[0].Text
	}
	return ""
}

// write plans a value for all files that a pattern matches. What is so already
// is written as well: it is to be so at the end.
func (p *planner) write(pattern, value string) {
	files := p.look(pattern)
	if len(files) == 0 && p.err == nil {
		p.missing("", "the kernel has no %s", pattern)
		return
	}
	for i := range files {
		files[i].Path = p.root + files[i].Path
	}
	p.add(Step{Files: files, Pattern: pattern, Value: value, Network: strings.HasPrefix(pattern, "/proc/sys/net/")})
}

func (p *planner) add(s Step) {
	s.Origin = p.origin
	p.plan.Steps = append(p.plan.Steps, s)
}

// stands notes that what is asked for is so already.
func (p *planner) stands(where, value string) {
	p.plan.Standing = append(p.plan.Standing, Change{Name: p.origin.Name, Where: where, Before: value, After: value})
}

func (p *planner) missing(hint, format string, args ...any) {
	p.plan.Missing = append(p.plan.Missing, Missing{Origin: p.origin, What: fmt.Sprintf(format, args...), Hint: hint})
}
