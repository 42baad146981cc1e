package engine

import (
	"context"
	"slices"
	"time"
)

// Order says how the runs of a design follow each other.
type Order string

const (
	Randomised Order = "random"   // randomised complete blocks
	Declared   Order = "declared" // as the treatments are counted
)

// DefaultReplicates is the smallest number of replicates from which a 95 %
// interval of a median can be had.
const DefaultReplicates = 6

// An Experiment is all that a file declares. It is data: nothing in it has run.
type Experiment struct {
	Name       string
	Doc        string // the file's first string
	Seed       int64
	Replicates int
	Order      Order

	Variables  []Variable
	Links      []Linked
	Exclusions []Exclusion
	Partial    *Partial // or nil: the whole space
	Stopping   []Stopping
	Repeats    []Repeat
	Results    []ResultColumn

	Roles       []Role
	Timeline    []Stage // the steps of a run
	Deployments []Deployment

	Timeout  time.Duration // of a step that has none of its own; 0 is none
	Retries  int           // of a step that failed or timed out
	Sampling Sampling
	Tools    []string // programs whose versions are facts of the hosts

	Flags   []Flag
	Sources []Source // the file and all that it loads, the file first
}

// Partial asks for part of a space: n treatments chosen by a seeded method.
type Partial struct {
	N      int64 // 0 where the method finds the number itself
	Method string
	Pos    Pos
}

// Stopping repeats each treatment until the confidence interval of a result's
// median has at most the relative half-width CI, with Min to Max replicates.
// It is applied at the ends of blocks only.
type Stopping struct {
	Result   string
	CI       float64
	Min, Max int
	Pos      Pos
}

// A Repeat gives the treatments for which all conditions hold another number of
// replicates than the experiment's. The last one that holds counts.
type Repeat struct {
	When       []Condition
	Replicates int
	Pos        Pos
}

// A ResultColumn is a column that steps fill.
type ResultColumn struct {
	Name        string
	Type        Type
	Unit        string
	Better      string // "higher", "lower" or empty
	Description string
	Pos         Pos
}

// Type is the type of a column.
type Type string

const (
	Bool   Type = "bool"
	Int    Type = "int"
	Float  Type = "float"
	String Type = "string"
)

// A Role is a part played by one or more hosts.
type Role struct {
	Name      string
	Hosts     []string  // host names, or empty: the cluster file says
	HostsFrom string    // name of the variable whose level is its host, or empty
	Count     int       // hosts needed at least; 0 is one
	Needs     []string  // tags that its hosts must carry
	Sampling  *Sampling // of its hosts, or nil: as the experiment's
	Setup     []Step    // once per host and invocation, before the first run
	Cleanup   []Step    // after each run, always
	Pos       Pos
}

// A Step is one function executed on the hosts of a role.
type Step struct {
	Name     string
	Role     int    // index of Experiment.Roles
	RoleFrom string // name of the variable whose level is the role, or empty
	Link     string // the step runs once for each end of it, or empty
	LinkFrom string // name of the variable whose level is the link, or empty
	Do       StepFunc
	Delay    time.Duration
	Timeout  time.Duration
	Retries  int
	Gather   GatherFunc // or nil
	Trace    bool
	Digest   string // of the function's source and all that it calls
	Pos      Pos
}

// A Stage is the steps that start together; the next stage waits for them all.
type Stage []Step

// StepFunc executes a step on one host. What it returns become results.
type StepFunc func(ctx context.Context, run *RunContext) (Results, error)

// GatherFunc makes one value of what the hosts of a role returned under one
// name, in host order.
type GatherFunc func(ctx context.Context, name string, values []Value) (Value, error)

// Results are named values in the order in which the script gave them.
type Results []NamedValue

// A NamedValue is one result.
type NamedValue struct {
	Name  string
	Value Value
}

// Sampling says how the hosts are watched during runs.
type Sampling struct {
	Off       bool
	Period    time.Duration // 0 is one second
	Mounts    []string
	Disks     []string
	NICs      []string // "all", or names; empty: physical ones
	Processes bool
	GPU       bool
	Pressure  bool
	Perf      []string // counters of `perf stat`
	Cap       int      // points kept per host and run; 0 is 1000
}

// SamplingOf says how a host that plays roles is watched: as the first role of
// the experiment that has a say wants, else as the experiment.
func (e *Experiment) SamplingOf(roles []string) Sampling {
	for _, role := range e.Roles {
		if role.Sampling != nil && slices.Contains(roles, role.Name) {
			return *role.Sampling
		}
	}
	return e.Sampling
}

// A Flag is a setting of the file itself, given by --flag name=value.
type Flag struct {
	Name    string
	Default Value
	Value   Value
	Pos     Pos
}

// A Source is a file that was read to load an experiment.
type Source struct {
	Path    string // relative to the experiment's folder
	SHA256  string
	Content string
}

// A Deployment puts software on the hosts of a role before their first run.
type Deployment struct {
	Role     int
	Source   string              // a folder, or a git repository
	Revision string              // of a git repository, or empty: the folder as it stands
	Packages map[string][]string // "apt" and "dnf", or "" for the same names on both
	Build    []string            // shell commands, in the source's folder
	Per      []int               // variables whose levels need a build of their own
	Pos      Pos
}
