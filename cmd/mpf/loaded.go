package main

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"mpf/engine"
	"mpf/engine/design"
	"mpf/engine/spelling"
	"mpf/remote/inventory"
	"mpf/starlib"
)

// choice is what the command line says of an experiment, for every command that
// reads one.
type choice struct {
	flags   []string
	only    []string
	sample  string
	listed  string
	shard   string
	limit   int64
	cluster string
}

func (c *choice) register(o *options) {
	o.StringArrayVar(&c.flags, "flag", nil, "set a flag that the file declares: `name=value`")
	o.StringArrayVar(&c.only, "only", nil, "only treatments with these levels: `variable=level,...`")
	o.StringVar(&c.sample, "sample", "", "only `N` treatments, or N% of them, drawn by the seed")
	o.StringVar(&c.listed, "treatments", "", "only the treatments that a CSV `file` lists, such as mpf plan --format csv writes")
	o.StringVar(&c.shard, "shard", "", "only a part by rank: `2/8` is the second of eight; each in a directory of its own, for mpf merge")
	o.Int64Var(&c.limit, "limit", 0, "only the first `N` runs of the order")
}

func (c *choice) registerCluster(o *pflag.FlagSet) {
	o.StringVarP(&c.cluster, "cluster", "c", "", "cluster `file`; without one this machine plays every role")
}

// A loaded experiment is one that was read and counted.
type loaded struct {
	path       string // of the file
	experiment *engine.Experiment
	design     *design.Design // whole
	part       *design.Design // what the command line restricts it to
	cluster    *inventory.Cluster
}

// load reads and counts an experiment file.
func (p *program) load(path string, c *choice) (*loaded, error) {
	e, err := p.read(path, c.flags)
	if err != nil {
		return nil, err
	}
	l, err := p.count(e, c)
	if err != nil {
		return nil, err
	}
	l.path = path
	return l, nil
}

func (p *program) read(path string, flags []string) (*engine.Experiment, error) {
	values, err := parseFlags(flags)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(path); err != nil {
		return nil, noFile(path, err)
	}
	return starlib.Load(p.ctx, path, starlib.Options{
		Flags: values,
		Print: func(pos engine.Pos, text string) { p.say.talk("%v: %s", pos, text) },
	})
}

// noFile says that an experiment file is not there.
func noFile(path string, err error) error {
	e := unreadable(path, err, "name an experiment file, or begin one: mpf init NAME")
	folder, name := filepath.Split(path)
	other, globErr := fs.Glob(os.DirFS(filepath.Clean(folder)), "*.star")
	if near := spelling.Nearest(name, other); globErr == nil && near != "" {
		e.todo = fmt.Sprintf("did you mean %s?", filepath.Join(folder, near))
	}
	return e
}

func (p *program) count(e *engine.Experiment, c *choice) (*loaded, error) {
	whole, err := design.New(e)
	if err != nil {
		return nil, err
	}
	r := design.Restriction{Only: c.only, Limit: c.limit}
	if r.Sample, err = parseSample(c.sample, whole.Treatments()); err != nil {
		return nil, err
	}
	if r.Shard, err = parseShard(c.shard); err != nil {
		return nil, err
	}
	if r.Listed, err = readTreatments(whole, c.listed); err != nil {
		return nil, err
	}
	part, err := whole.Restrict(r)
	if err != nil {
		return nil, err
	}
	cluster, err := readCluster(c.cluster)
	if err != nil {
		return nil, err
	}
	return &loaded{experiment: e, design: whole, part: part, cluster: cluster}, nil
}

// readCluster reads a cluster file; without one this machine plays every role.
func readCluster(path string) (*inventory.Cluster, error) {
	if path == "" {
		return inventory.Local(), nil
	}
	cluster, err := inventory.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &usageError{message: err.Error(), todo: "name the cluster file with -c FILE, or leave -c out: this machine plays every role"}
	}
	return cluster, err
}

// readTreatments reads a list of treatments; nil where no file is named.
func readTreatments(d *design.Design, path string) ([]engine.Treatment, error) {
	if path == "" {
		return nil, nil
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, unreadable(path, err, "mpf plan --format csv writes such a file")
	}
	defer file.Close()
	treatments, err := d.ReadTreatments(file)
	if err != nil {
		return nil, &usageError{message: fmt.Sprintf("%s: %v", path, err)}
	}
	return treatments, nil
}

func parseFlags(words []string) (map[string]string, error) {
	values := map[string]string{}
	for _, word := range words {
		name, value, ok := strings.Cut(word, "=")
		if !ok {
			return nil, &usageError{message: fmt.Sprintf("--flag %q: has no value", word), todo: "--flag name=value"}
		}
		values[name] = value
	}
	return values, nil
}

// flagsOf returns the flags of a recorded experiment as a command line gives
// them. What follows them goes before them.
func flagsOf(e engine.Experiment) []string {
	var words []string
	for _, f := range e.Flags {
		words = append(words, f.Name+"="+engine.FormatValue(f.Value))
	}
	return words
}

// parseSample reads a number of treatments, or a share of all there are, of
// which any part of one counts as one.
func parseSample(text string, of uint64) (uint64, error) {
	if text == "" {
		return 0, nil
	}
	share, isShare := strings.CutSuffix(text, "%")
	if !isShare {
		if n, err := strconv.ParseUint(text, 10, 64); err == nil && n > 0 {
			return n, nil
		}
	} else if x, err := strconv.ParseFloat(share, 64); err == nil && x > 0 && x <= 100 {
		return uint64(math.Ceil(float64(of) * x / 100)), nil
	}
	return 0, &usageError{message: fmt.Sprintf("--sample %q: is neither a number of treatments nor a share", text), todo: "--sample 12, or --sample 10%"}
}

func parseShard(text string) (design.Shard, error) {
	if text == "" {
		return design.Shard{}, nil
	}
	var s design.Shard
	if n, err := fmt.Sscanf(text+" ", "%d/%d ", &s.Number, &s.Of); err != nil || n != 2 || s.Number < 1 || s.Number > s.Of {
		return s, &usageError{message: fmt.Sprintf("--shard %q: is no part", text), todo: "--shard 2/8 is the second of eight"}
	}
	return s, nil
}
