package declare

import (
	"errors"
	"strings"
	"time"

	"go.starlark.net/starlark"

	"mpf/engine"
	"mpf/starlib/convert"
	"mpf/starlib/flags"
	"mpf/starlib/naming"
	"mpf/starlib/script"
)

// defaultSeed is the seed of an experiment that names none.
const defaultSeed = 1

// maxReplicates keeps designs within what a plan can hold.
const maxReplicates = 1_000_000

const atLoad = "at load time"

type experimentDecl struct {
	name       string
	seed       int64
	replicates int
	order      engine.Order
	timeout    time.Duration
	retries    int
	sampling   engine.Sampling
	tools      []string
	pos        engine.Pos
}

func experimentBuiltins() []builtin {
	return []builtin{{script.Doc{
		Signature: `experiment(name, seed = 1, replicates = 6, order = "random", timeout = None, retries = 0, sample = None, tools = [])`,
		Text:      "Names the experiment; every run of each treatment is repeated `replicates` times in an order drawn from `seed`, and `timeout` and `retries` hold for the steps that say nothing else. What a mistake of the file failed is not repeated. The versions of the programs `tools` are recorded with the facts of the hosts, and a change of one is said.",
		When:      atLoad + ", once",
		Checks:    `name is a folder's name; order is "random" or "declared"; sample is a period such as "100ms", sampling(...) or False`,
		Error:     "`a.star:1:11: experiment \"x\": declared twice (...)`",
	}, (*Declarations).declareExperiment}, {script.Doc{
		Signature: `sampling(period = "1s", mounts = [], disks = [], nics = [], processes = False, gpu = False, pressure = False, perf = [], cap = 1000)`,
		Text:      "Says how hosts are watched during runs, for the sample parameter of experiment.",
		When:      atLoad,
		Checks:    "period is 10 ms to 1 h; nics are names or \"all\"; perf are counters of `perf stat`; cap, even and 4 at least, is how many points of a host and run an exported series keeps; samples.parquet has all readings",
		Error:     "`a.star:2:25: sampling: period = 1ms, want 10ms to 1h`",
	}, (*Declarations).makeSampling}, {script.Doc{
		Signature: "flag(name, default)",
		Text:      "The value of the file's own flag `--flag name=value`, of the default's type, recorded with the results.",
		When:      atLoad,
		Checks:    "default is a string, bool, int, float, None (text) or a list of strings, which is given with commas",
		Error:     "`a.star:3:9: flag \"size\": got \"big\", want int`",
	}, (*Declarations).declareFlag}}
}

func (d *Declarations) declareExperiment(c *script.Call) (starlark.Value, error) {
	var name, order convert.Text = "", convert.Text(engine.Randomised)
	var timeout convert.Timeout
	var sample sampleArg
	var tools convert.Names
	seed, replicates, retries := starlark.MakeInt64(defaultSeed), convert.Count{N: engine.DefaultReplicates}, convert.Count{}
	err := c.Unpack("name", &name, "seed?", &seed, "replicates?", &replicates, "order?", &order,
		"timeout??", &timeout, "retries?", &retries, "sample??", &sample, "tools?", &tools)
	if d.experiment == nil {
		d.experiment = &experimentDecl{name: "unnamed", seed: defaultSeed, replicates: engine.DefaultReplicates, order: engine.Randomised, pos: c.Pos()}
	} else if err == nil {
		return nil, script.Problemf("experiment %q: declared twice", name).Mend("the first is at %s: remove one of them", d.experiment.pos)
	}
	if err != nil {
		return nil, err
	}
	e := d.experiment
	e.name, e.timeout, e.sampling, e.tools = string(name), timeout.D, sample.sampling, tools
	if err := naming.Folder("experiment", string(name)); err != nil {
		d.Note(c.Pos(), err)
	}
	seed64, fits := seed.Int64()
	if !fits {
		d.wrong(c.Pos(), "write an integer of 64 bits", "experiment %q: seed = %s", name, seed)
	}
	e.seed = seed64
	if replicates.N < 1 || replicates.N > maxReplicates {
		d.wrong(c.Pos(), "", "experiment %q: replicates = %d, want 1 to %d", name, replicates.N, maxReplicates)
		replicates.N = 1
	}
	if retries.N > maxRetries {
		d.wrong(c.Pos(), "", "experiment %q: retries = %d, want 0 to %d", name, retries.N, maxRetries)
	}
	e.replicates, e.retries, e.order = replicates.N, retries.N, engine.Order(order)
	if e.order != engine.Randomised && e.order != engine.Declared {
		return nil, script.Problemf("experiment %q: order = %q", name, order).Mend(`write "random" or "declared"`)
	}
	return nil, nil
}

// A sampleArg is a parameter that says how hosts are watched: False, a period,
// or what sampling(...) returned.
type sampleArg struct {
	sampling engine.Sampling
	set      bool
}

// A samplingValue carries a Sampling through a script.
type samplingValue struct {
	s engine.Sampling
}

func (samplingValue) String() string        { return "sampling(...)" }
func (samplingValue) Type() string          { return "sampling" }
func (samplingValue) Freeze()               {}
func (samplingValue) Truth() starlark.Bool  { return true }
func (samplingValue) Hash() (uint32, error) { return 0, errors.New("unhashable: sampling") }

func (s *sampleArg) Unpack(v starlark.Value) error {
	s.set = true
	switch v := v.(type) {
	case samplingValue:
		s.sampling = v.s
		return nil
	case starlark.Bool:
		s.sampling = engine.Sampling{Off: !bool(v)}
		return nil
	}
	var period convert.Duration
	if err := period.Unpack(v); err != nil {
		return err
	}
	s.sampling = engine.Sampling{Period: period.D}
	return checkPeriod(period.D)
}

func checkPeriod(d time.Duration) error {
	if d < 10*time.Millisecond || d > time.Hour {
		return script.Problemf("period = %s, want 10ms to 1h", d)
	}
	return nil
}

func (d *Declarations) makeSampling(c *script.Call) (starlark.Value, error) {
	period := convert.Duration{D: time.Second}
	var mounts, disks, nics, perf convert.Names
	var processes, gpu, pressure bool
	points := convert.Count{N: 1000}
	err := c.Unpack("period?", &period, "mounts?", &mounts, "disks?", &disks, "nics?", &nics, "processes?", &processes,
		"gpu?", &gpu, "pressure?", &pressure, "perf?", &perf, "cap?", &points)
	if err == nil {
		err = checkPeriod(period.D)
	}
	if err == nil && (points.N < 4 || points.N%2 != 0) {
		err = script.Problemf("cap = %d, want an even number, 4 at least", points.N)
	}
	if err != nil {
		return samplingValue{}, script.Problemf("sampling: %s", strings.TrimPrefix(err.Error(), "sampling: "))
	}
	return samplingValue{s: engine.Sampling{
		Period: period.D, Mounts: mounts, Disks: disks, NICs: nics, Processes: processes,
		GPU: gpu, Pressure: pressure, Perf: perf, Cap: points.N,
	}}, nil
}

func (d *Declarations) declareFlag(c *script.Call) (starlark.Value, error) {
	var name convert.Text
	var fallback starlark.Value
	if err := c.Unpack("name", &name, "default", &fallback); err != nil {
		return nil, err
	}
	if err := naming.Folder("flag", string(name)); err != nil {
		return fallback, err
	}
	if err := d.claim("flag", string(name), c.Pos()); err != nil {
		return fallback, err
	}
	plain, err := convert.Plain(fallback)
	if err != nil {
		return fallback, script.Problemf("flag %q: default: %v", name, err)
	}
	f := engine.Flag{Name: string(name), Default: plain, Value: plain, Pos: c.Pos()}
	if text, given := d.given[f.Name]; given {
		f.Value, err = flags.Parse(text, plain)
		if err != nil {
			err = script.Problemf("flag %q: %v", name, err).Mend("give it as --flag %s=%s", name, engine.FormatValue(plain))
		}
	}
	d.flags = append(d.flags, f)
	return convert.Starlark(f.Value), err
}

// checkFlags finds flags that were given and that the file does not have.
func (d *Declarations) checkFlags(file string) {
	var names []string
	for _, f := range d.flags {
		names = append(names, f.Name)
	}
next:
	for given := range d.given {
		for _, name := range names {
			if name == given {
				continue next
			}
		}
		d.wrong(engine.Pos{File: file}, naming.Suggest(given, names, "flags"), "--flag %s: the file has no such flag", given)
	}
}
