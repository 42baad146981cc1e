package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"testing"
	"time"

	"mpf/engine"
	"mpf/engine/enginetest"
	"mpf/results/campaign"
	"mpf/results/fsys"
	"mpf/results/fsys/fsystest"
	"mpf/results/fsys/lazyfs"
	"mpf/results/parquet"
	"mpf/results/tables"
)

// A powered campaign lies on a disk of its own, which may lose what was not
// synced when the power goes.
type powered struct {
	*underway
	random  *rand.Rand
	tree    *fsystest.Memory // the disk
	at      string           // where it is mounted
	unmount func()

	heard    int          // bytes of the talk
	executed map[int]int  // how often each run said that it runs
	done     map[int]bool // runs that are known to be acknowledged
	count    int          // of acknowledged runs, as mpf said
}

// outageDir is the campaign's directory on the disk.
const outageDir = "a/b"

// newPowered mounts a disk and leaves it to no other.
func newPowered(t *testing.T, seed uint64, disk *fsystest.Memory, runs int) *powered {
	t.Helper()
	enginetest.NeedRoot(t)
	p := &powered{
		underway: newUnderway(t, "outage.star"), random: rand.New(rand.NewPCG(seed, 0)), tree: disk,
		unmount: func() {}, executed: map[int]int{}, done: map[int]bool{},
	}
	p.tree.Now = time.Now
	p.flags = []string{"--shared-host", "-v"}
	p.at = filepath.Join(p.dir, "disk")
	p.out = filepath.Join(p.at, outageDir)
	if err := os.Mkdir(p.at, 0o700); err != nil {
		t.Fatal(err)
	}
	p.write(runs)
	t.Cleanup(func() { p.stop(); p.unmount() })
	p.mount()
	return p
}

// write writes the experiment.
func (p *powered) write(runs int) {
	writeFile(p.T, filepath.Join(p.dir, p.file), fmt.Sprintf(outageScript, runs))
}

func (p *powered) mount() {
	p.Helper()
	disk, err := lazyfs.Mount(p.at, p.tree)
	if err != nil {
		enginetest.Unmet(p.T, "cannot mount a file system by /dev/fuse: %v", err)
	}
	p.unmount = func() {
		if err := disk.Unmount(); err != nil {
			p.Error(err)
		}
	}
}

// live lets mpf run until it ends or the power goes instead of a change of the
// disk (0: never), and reports whether it ended. Without a command it is that of
// the campaign.
func (p *powered) live(outage int, command ...string) bool {
	p.Helper()
	came := p.tree.OutageAt(outage)
	if len(command) > 0 {
		p.launch(command...)
	} else {
		p.start()
	}
	select {
	case <-came:
		_ = p.command.Process.Kill() // it may have ended of what the disk says
	case err := <-p.ended:
		p.ended <- err
	case <-time.After(patience):
		p.Fatalf("mpf does not end\n%s", &p.talk)
	}
	code := p.exit("an outage")
	cut := false
	select {
	case <-came:
		cut = true
	default:
	}
	if code != exitOK && !(cut && (code == -1 || code == exitStorage)) {
		p.Fatalf("mpf ended with %d, without power: %v\n%s", code, cut, &p.talk)
	}
	p.listen(code == exitOK)
	seen := p.tree
	if cut {
		seen = p.tree.Kill() // as somebody saw it before
	}
	for _, r := range p.published(seen) {
		if r.status == engine.OK {
			p.done[r.n] = true
		}
	}
	return !cut
}

var (
	saysRun     = regexp.MustCompile(`(?m)^mpf: step on localhost: run (\d+)$`)
	saysCount   = regexp.MustCompile(`(?m)^mpf: (\d+)/\d+ runs `)
	saysNothing = regexp.MustCompile(`no campaign was begun in it|no such file or directory`)
)

// listen takes down what mpf acknowledged: a run begins once the end of the one
// before is durable.
func (p *powered) listen(ended bool) {
	text := p.talk.String()[p.heard:]
	p.heard += len(text)
	said := saysRun.FindAllStringSubmatch(text, -1)
	for i, words := range said {
		n := p.number(words[1])
		p.executed[n]++
		if ended || i < len(said)-1 {
			p.done[n] = true
		}
	}
	for _, words := range saysCount.FindAllStringSubmatch(text, -1) {
		p.count = max(p.count, p.number(words[1]))
	}
}

func (p *powered) number(text string) int {
	p.Helper()
	n, err := strconv.Atoi(text)
	if err != nil {
		p.Fatal(err)
	}
	return n
}

// A row of the published table of runs.
type row struct {
	n      int
	status engine.Status
	text   string // without what only says when and how often something was tried
}

// triedColumns say when and how often something was tried.
var triedColumns = []string{
	"position", "attempts", "attempt", "plan", "invocation", "sequence", "started", "seconds", "gap", "warnings",
}

// published reads every value of all tables on a disk, and returns the rows of the
// table of runs, by run.
func (p *powered) published(disk *fsystest.Memory) map[string]row {
	p.Helper()
	rows := map[string]row{}
	for _, name := range []string{tables.RunsFile, tables.StepsFile, tables.UsageFile, tables.SamplesFile} {
		text, err := fsys.ReadFile(disk, outageDir+"/"+name, 1<<20)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			p.Fatal(err)
		}
		for _, values := range p.values(name, text) {
			if name == tables.RunsFile {
				rows[fmt.Sprint(values["run_id"])] = p.row(values)
			}
		}
	}
	return rows
}

func (p *powered) row(values map[string]engine.Value) row {
	r := row{n: p.number(fmt.Sprint(values["n"])), status: engine.Status(fmt.Sprint(values["status"]))}
	maps.DeleteFunc(values, func(name string, _ engine.Value) bool { return slices.Contains(triedColumns, name) })
	r.text = fmt.Sprint(values) // sorted by name
	return r
}

// values reads a table.
func (p *powered) values(name string, text []byte) (rows []map[string]engine.Value) {
	p.Helper()
	file, err := parquet.NewFile(bytes.NewReader(text))
	if err != nil {
		p.Fatalf("%s: %v\n%s", name, err, &p.talk)
	}
	for group := range file.Groups() {
		first := len(rows)
		for column, field := range file.Fields() {
			v, err := file.Read(group, column)
			if err != nil {
				p.Fatalf("%s: %v\n%s", name, err, &p.talk)
			}
			for i := range v.Len() {
				if column == 0 {
					rows = append(rows, map[string]engine.Value{})
				}
				rows[first+i][field.Name] = v.At(i)
			}
		}
	}
	return rows
}

// die goes on with what a death of mpf leaves.
func (p *powered) die() {
	p.Helper()
	p.replace("mpf is dead", p.tree.Kill())
}

// losePower goes on with what is left of the disk.
func (p *powered) losePower() {
	p.Helper()
	if p.random.IntN(3) == 0 {
		p.replace("what was not synced is lost", p.tree.Crash())
	} else {
		p.replace("some of what was not synced is lost", p.tree.CrashPartly(p.random))
	}
}

func (p *powered) replace(how string, disk *fsystest.Memory) {
	p.Helper()
	p.unmount()
	p.tree = disk
	p.mount()
	fmt.Fprintf(&p.talk, "-- %s\n", how)
	p.heard = len(p.talk.String())
	p.published(p.tree)
}

// expectAcknowledged wants a record that is as it may be at any instant, and holds
// what was acknowledged.
func (p *powered) expectAcknowledged() {
	p.Helper()
	cmd := p.mpf("verify", p.out)
	text, _ := cmd.CombinedOutput() // its code says more
	ok := map[int]int{}
	switch code := cmd.ProcessState.ExitCode(); {
	case code == exitOK:
		_, ok = p.attempts()
	case !saysNothing.Match(text):
		p.Fatalf("verify ended with %d: %s\n%s", code, text, &p.talk)
	}
	for n := range p.done {
		if ok[n] != 1 {
			p.Errorf("run %d was acknowledged and is ok %d times\n%s", n, ok[n], &p.talk)
		}
	}
	if len(ok) < p.count {
		p.Errorf("%d runs were acknowledged and %d are ok\n%s", p.count, len(ok), &p.talk)
	}
}

// attempts counts the attempts of each run, and those that are ok.
func (p *powered) attempts() (all, ok map[int]int) {
	p.Helper()
	c, err := campaign.Read(p.out)
	if err != nil {
		p.Fatal(err)
	}
	defer c.Close()
	all, ok = map[int]int{}, map[int]int{}
	for a, err := range c.Attempts() {
		if err != nil {
			p.Fatal(err)
		}
		n := a.Start.Run.Treatment[0]
		all[n]++
		if a.Done.Status == engine.OK {
			ok[n]++
		}
	}
	return all, ok
}

// expectWhole wants each run ok once, each execution to be an attempt, and these
// rows in the table.
func (p *powered) expectWhole(rows map[string]row) {
	p.Helper()
	p.expectAcknowledged()
	all, ok := p.attempts()
	for n := range outageRuns {
		if ok[n] != 1 {
			p.Errorf("run %d is ok %d times\n%s", n, ok[n], &p.talk)
		}
		if all[n] < p.executed[n] {
			p.Errorf("run %d was executed %d times and has %d attempts\n%s", n, p.executed[n], all[n], &p.talk)
		}
	}
	if got := p.published(p.tree); !maps.Equal(got, rows) {
		p.Errorf("the rows are\n%v, those of an undisturbed campaign\n%v\n%s", got, rows, &p.talk)
	}
}
