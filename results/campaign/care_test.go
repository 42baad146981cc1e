package campaign

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"mpf/engine"
	"mpf/results/durable"
	"mpf/results/journal"
	"mpf/results/record"
)

// finished is a campaign that was run to its end.
func finished(t *testing.T, plan record.Plan, config Config) string {
	t.Helper()
	dir := t.TempDir()
	c, err := Create(dir, plan, nil, config)
	must(t, err)
	must(t, goOn(c, plan, ignore))
	must(t, c.Close())
	return dir
}

func TestDamageIsRefusedAndRepaired(t *testing.T) {
	plan := testPlan(3, 1)
	dir := finished(t, plan, testConfig())
	name := filepath.Join(dir, "journal", "00000001.jsonl")
	b, err := os.ReadFile(name)
	must(t, err)
	b[len(b)/2] ^= 4
	must(t, os.WriteFile(name, b, 0o600))
	_, err = Open(dir, testConfig())
	var damage *journal.Damage
	if !errors.As(err, &damage) || !strings.Contains(err.Error(), "00000001.jsonl: offset ") {
		t.Fatalf("damaged: %v", err)
	}
	wantRefused(t, err, "after frame ")
	loss, err := Repair(dir, testConfig())
	must(t, err)
	if len(loss.Runs) == 0 || len(loss.Aside) != 1 {
		t.Errorf("loss: %+v", loss)
	}
	if loss, err := Repair(dir, testConfig()); loss != nil || err != nil {
		t.Errorf("a second repair: %+v, %v", loss, err)
	}
	c, err := Open(dir, testConfig())
	must(t, err)
	must(t, goOn(c, plan, ignore))
	must(t, c.Close())
	count := 0
	c = readDir(t, dir)
	for _, err := range c.Attempts() {
		must(t, err)
		count++
	}
	if count < 3 {
		t.Errorf("%d attempts after the repair", count)
	}
	wantWhole(t, c)
}

func TestSamplesAreDroppedOnlyForATable(t *testing.T) {
	plan := testPlan(2, 1)
	dir := finished(t, plan, testConfig())
	table := []byte("all samples")
	must(t, os.WriteFile(filepath.Join(dir, "samples.parquet"), table, 0o600))
	c, err := Open(dir, testConfig())
	must(t, err)
	_, err = c.Gc(&record.File{Path: "samples.parquet", Size: 11, SHA256: durable.SHA256([]byte("other"))})
	wantRefused(t, err, "not what was verified")
	g, err := c.Gc(&record.File{Path: "samples.parquet", Size: 11, SHA256: durable.SHA256(table)})
	must(t, err)
	if g.Files != 2 {
		t.Errorf("collected %+v", g)
	}
	must(t, c.Close())
	wantWhole(t, readDir(t, dir))
	c, err = Open(dir, testConfig())
	must(t, err)
	_, err = c.Open(ctx, startOf(runsOf(testPlan(3, 1))[2], 1))
	wantRefused(t, err, "takes no run any more")
	must(t, c.Close())
}

func TestDrift(t *testing.T) {
	old := testPlan(2, 1)
	change := func(edit func(*engine.Experiment)) record.Plan {
		plan := testPlan(2, 1)
		edit(&plan.Experiment)
		return plan
	}
	c, err := Create(t.TempDir(), old, nil, testConfig())
	must(t, err)
	defer c.Close()
	if d := c.Compare(testPlan(2, 1)); !d.Same() {
		t.Errorf("the same plan: %+v", d)
	}
	grown := c.Compare(testPlan(3, 2))
	if len(grown.Design) != 2 || len(grown.Other)+len(grown.Script) > 0 {
		t.Errorf("level and replicate added: %+v", grown)
	}
	must(t, c.Refuse(grown, false))
	for want, plan := range map[string]record.Plan{
		"seed 7, now 8":                        change(func(e *engine.Experiment) { e.Seed = 8 }),
		`experiment "test", now "other"`:       change(func(e *engine.Experiment) { e.Name = "other" }),
		`result "x" of type float, now string`: change(func(e *engine.Experiment) { e.Results[0].Type = engine.String }),
	} {
		wantRefused(t, c.Refuse(c.Compare(plan), true), want)
	}
	for want, plan := range map[string]record.Plan{
		`step "measure"`:         change(func(e *engine.Experiment) { e.Timeline[0][0].Digest = "d2" }),
		`step "again" is new`:    change(func(e *engine.Experiment) { e.Timeline[0] = append(e.Timeline[0], engine.Step{Name: "again"}) }),
		`step "measure" is gone`: change(func(e *engine.Experiment) { e.Timeline = nil }),
		`deploy "client"`:        change(func(e *engine.Experiment) { e.Deployments = []engine.Deployment{{Build: []string{"make"}}} }),
		`setup "build" is new`:   change(func(e *engine.Experiment) { e.Roles[0].Setup = []engine.Step{{Name: "build"}} }),
	} {
		d := c.Compare(plan)
		wantRefused(t, c.Refuse(d, false), want)
		if err := c.Refuse(d, true); err != nil || d.Reason() != "script" {
			t.Errorf("accepted %q: %v, reason %q", want, err, d.Reason())
		}
	}
}

// TestEditedCampaignRunsOnlyWhatIsMissing adds a level and a replicate to a
// finished campaign.
func TestEditedCampaignRunsOnlyWhatIsMissing(t *testing.T) {
	old, grown := testPlan(2, 1), testPlan(3, 2)
	dir := finished(t, old, testConfig())
	c, err := Open(dir, testConfig())
	must(t, err)
	must(t, c.Extend(grown, c.Compare(grown).Reason()))
	ran := 0
	must(t, goOn(c, grown, func(engine.Run) { ran++ }))
	if ran != 4 {
		t.Errorf("%d runs, want the 4 that were missing", ran)
	}
	must(t, c.Close())
	plans := map[int]int{}
	c = readDir(t, dir)
	for a, err := range c.Attempts() {
		must(t, err)
		plans[a.Plan]++
	}
	if plans[1] != 2 || plans[2] != 4 || len(c.Plans()) != 2 || c.Plan().Reason != "extend" {
		t.Errorf("attempts by plan: %v of %d", plans, len(c.Plans()))
	}
}

func TestDirectoriesThatCannotBeUsed(t *testing.T) {
	plan := testPlan(1, 1)
	_, err := Open(filepath.Join(t.TempDir(), "none"), testConfig())
	wantRefused(t, err, "no such directory")
	_, err = Open(t.TempDir(), testConfig())
	wantRefused(t, err, "no campaign was begun in it")
	link := filepath.Join(t.TempDir(), "link")
	must(t, os.Symlink(t.TempDir(), link))
	_, err = Create(link, plan, nil, testConfig())
	wantRefused(t, err, "symbolic link")
	file := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(file, nil, 0o600))
	_, err = Create(file, plan, nil, testConfig())
	wantRefused(t, err, "not a directory")
}

func TestRemovedDirectoryEndsTheRecording(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	plan := testPlan(2, 1)
	runs := runsOf(plan)
	c, err := Create(dir, plan, nil, testConfig())
	must(t, err)
	must(t, execute(c, runs[0]))
	must(t, os.RemoveAll(dir))
	must(t, os.Mkdir(dir, 0o700))
	var storage *StorageError
	if err := execute(c, runs[1]); !errors.As(err, &storage) {
		t.Errorf("run in a removed directory: %v", err)
	}
	if err := c.Close(); !errors.As(err, &storage) {
		t.Errorf("close: %v", err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("written into the directory in its place: %v, %v", entries, err)
	}
}

func TestModesAreForTheOwnerAlone(t *testing.T) {
	old := syscall.Umask(0)
	defer syscall.Umask(old)
	for _, mask := range []int{0, 0o077} {
		syscall.Umask(mask)
		modesIn(t, filepath.Join(t.TempDir(), "out"))
	}
}

func modesIn(t *testing.T, dir string) {
	t.Helper()
	c, err := Create(dir, testPlan(1, 1), nil, testConfig())
	must(t, err)
	must(t, goOn(c, testPlan(1, 1), ignore))
	must(t, c.Close())
	must(t, filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
		return err
	}))
}

// countingTables counts its publications and looks whether attempts are open.
type countingTables struct {
	mu        sync.Mutex
	published []bool // final
	open      int
	signal    chan struct{}
	fail      error
}

func (p *countingTables) Publish(_ context.Context, s record.Source, final bool) ([]record.File, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.published = append(p.published, final)
	p.open += len(s.(*Campaign).journal.Unfinished())
	select {
	case p.signal <- struct{}{}:
	default:
	}
	return nil, p.fail
}

// fastClock sleeps a thousandth of what it is asked to.
type fastClock struct{ engine.SystemClock }

func (c fastClock) Sleep(ctx context.Context, d time.Duration) error {
	return c.SystemClock.Sleep(ctx, d/1000)
}

func TestTablesArePublishedBetweenTheAttemptsOfAMeasuredMachine(t *testing.T) {
	tables := &countingTables{signal: make(chan struct{}, 1)}
	config := testConfig()
	config.Clock, config.Tables, config.Measured = fastClock{}, tables, []string{"h1"}
	plan := testPlan(400, 1)
	c, err := Create(t.TempDir(), plan, nil, config)
	must(t, err)
	for i, run := range runsOf(plan) {
		must(t, execute(c, run))
		if i > 0 && i%50 == 0 {
			<-tables.signal
		}
	}
	must(t, c.Close())
	if n := len(tables.published); n < 3 || !tables.published[n-1] || tables.published[0] {
		t.Errorf("published: %v", tables.published)
	}
	if tables.open > 0 {
		t.Errorf("%d attempts were open while tables were published", tables.open)
	}
}

func TestFailedPublicationIsAWarningUntilTheEnd(t *testing.T) {
	tables := &countingTables{signal: make(chan struct{}, 1), fail: syscall.EIO}
	config := testConfig()
	config.Clock, config.Tables = fastClock{}, tables
	plan := testPlan(2, 1)
	c, err := Create(t.TempDir(), plan, nil, config)
	must(t, err)
	must(t, execute(c, runsOf(plan)[0]))
	<-tables.signal
	must(t, execute(c, runsOf(plan)[1]))
	var storage *StorageError
	if err := c.Close(); !errors.As(err, &storage) || !errors.Is(err, syscall.EIO) {
		t.Errorf("close: %v", err)
	}
	c = readDir(t, c.Dir())
	if c.Summary().Closed == nil || c.Summary().Done != 2 {
		t.Error("the record suffered from the tables")
	}
}

func TestPublicationThatWaitsForAnAttemptEndsWithTheCampaign(t *testing.T) {
	config := testConfig()
	config.Clock, config.Tables, config.Measured = fastClock{}, &countingTables{}, []string{"h1"}
	plan := testPlan(2, 1)
	c, err := Create(t.TempDir(), plan, nil, config)
	must(t, err)
	must(t, execute(c, runsOf(plan)[0]))
	_, err = c.Open(ctx, startOf(runsOf(plan)[1], 1))
	must(t, err)
	must(t, c.Close()) // with an attempt that nobody closed
}

// What goes on elsewhere disturbs no table, and no table disturbs it.
func TestTablesDoNotWaitForAttemptsOnOtherMachines(t *testing.T) {
	tables := &countingTables{signal: make(chan struct{}, 1)}
	config := testConfig()
	config.Clock, config.Tables, config.Measured = fastClock{}, tables, []string{"here"}
	plan := testPlan(60, 1)
	c, err := Create(t.TempDir(), plan, nil, config)
	must(t, err)
	runs := runsOf(plan)
	away, err := c.Open(ctx, startOf(runs[0], 1)) // on h1
	must(t, err)
	for _, run := range runs[1:] {
		start := startOf(run, 1)
		start.Hosts[0].Host = "here"
		log, err := c.Open(ctx, start)
		must(t, err)
		must(t, log.Done(ctx, doneOf(run)))
	}
	<-tables.signal
	must(t, away.Done(ctx, doneOf(runs[0])))
	must(t, c.Close())
}

// lastingClock sleeps until it is interrupted.
type lastingClock struct{ engine.SystemClock }

func (lastingClock) Sleep(ctx context.Context, _ time.Duration) error {
	<-ctx.Done()
	return ctx.Err()
}

func TestFirstRunIsPublishedAtOnce(t *testing.T) {
	tables := &countingTables{signal: make(chan struct{}, 1)}
	config := testConfig()
	config.Clock, config.Tables = lastingClock{}, tables
	plan := testPlan(3, 1)
	c, err := Create(t.TempDir(), plan, nil, config)
	must(t, err)
	must(t, execute(c, runsOf(plan)[0]))
	<-tables.signal
	must(t, execute(c, runsOf(plan)[1]))
	must(t, c.Close())
	if !slices.Equal(tables.published, []bool{false, true}) {
		t.Errorf("published: %v, want once after the first run and once at the end", tables.published)
	}
	c, err = Open(c.Dir(), config)
	must(t, err)
	must(t, execute(c, runsOf(plan)[2]))
	must(t, c.Close())
	if !slices.Equal(tables.published, []bool{false, true, true}) {
		t.Errorf("published: %v, want one more at the end", tables.published)
	}
}
