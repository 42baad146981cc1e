package campaign

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"

	"mpf/engine"
	"mpf/results/fsys"
	"mpf/results/gate"
	"mpf/results/journal"
	"mpf/results/kinds"
	"mpf/results/lastword"
	"mpf/results/lock"
	"mpf/results/record"
)

// A Campaign is an open campaign directory.
type Campaign struct {
	dir     string
	tree    fsys.FS
	lock    fsys.File
	config  Config
	journal *journal.Journal

	planning sync.Mutex // of plans
	plans    []record.Plan

	gate      *gate.Gate  // of attempts
	kinds     kinds.Kinds // of results
	publisher *publisher
	failing   sync.Once
	closed    *journal.Closed // the end of the invocation before, if it was clean
	complete  bool
}

var (
	_ engine.Ledger = (*Campaign)(nil)
	_ record.Source = (*Campaign)(nil)
)

// An Input is a file that a campaign keeps beside its runs.
type Input struct {
	Path string // relative, with slashes
	Data []byte
}

// Begun reports whether a campaign was begun in a directory.
func Begun(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, planName(1)))
	return err == nil
}

// Create begins a campaign in a directory, which may exist already if no
// campaign was begun in it.
func Create(dir string, plan record.Plan, inputs []Input, config Config) (*Campaign, error) {
	config.lead = leadTo(dir, config.Durability)
	tree, err := makeTree(dir, config)
	if err != nil {
		return nil, err
	}
	return create(tree, dir, plan, inputs, config)
}

// leadTo returns what makes the names durable that lead to a directory; nil where
// no more than the death of mpf is to be survived.
func leadTo(dir string, d Durability) func() error {
	if d == OS {
		return nil
	}
	return func() error { return fsys.SyncPath(dir) }
}

// makeTree makes a directory, with its parents, and opens it.
func makeTree(dir string, config Config) (fsys.FS, error) {
	if err := os.MkdirAll(filepath.Dir(dir), 0o777); err != nil {
		return nil, explain(dir, err)
	}
	if err := os.Mkdir(dir, fs.FileMode(fsys.DirMode)); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, explain(dir, err)
	}
	return openTree(dir, config)
}

// Open goes on with a campaign, after mending what the death of its last
// invocation left.
func Open(dir string, config Config) (*Campaign, error) {
	tree, err := openTree(dir, config)
	if err != nil {
		return nil, err
	}
	return open(tree, dir, config)
}

// Read opens a campaign that somebody else may be running, to look at it.
func Read(dir string) (*Campaign, error) {
	tree, err := openTree(dir, Config{})
	if err != nil {
		return nil, err
	}
	return read(tree, dir)
}

func openTree(dir string, config Config) (fsys.FS, error) {
	tree, err := fsys.OpenDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &RefusedError{Dir: dir, What: "no such directory", Err: err, Todo: "begin a campaign with: mpf run FILE"}
	case errors.Is(err, syscall.ENOTDIR):
		return nil, &RefusedError{Dir: dir, What: "a file or a symbolic link, not a directory", Err: err, Todo: "name a directory, such as the one that a link leads to"}
	case err != nil:
		return nil, explain(dir, err)
	case config.Durability == OS:
		return fsys.Unsynced(tree), nil
	}
	return tree, nil
}

func create(tree fsys.FS, dir string, plan record.Plan, inputs []Input, config Config) (*Campaign, error) {
	c, err := begin(tree, dir, config)
	if err != nil {
		return nil, err
	}
	if len(c.Plans()) > 0 {
		_ = c.release()
		return nil, &RefusedError{
			Dir: dir, What: "holds a campaign already", Todo: "go on with it, or name another directory with: mpf run -o DIR",
		}
	}
	if err := c.addFirst(plan, inputs); err != nil {
		return nil, c.abandon(err)
	}
	c.publisher = startPublisher(c)
	return c, nil
}

func (c *Campaign) addFirst(plan record.Plan, inputs []Input) error {
	plan.Reason = "new"
	if err := c.addPlan(plan); err != nil {
		return err
	}
	for _, input := range inputs {
		if err := c.AddInput(input); err != nil {
			return err
		}
	}
	return nil
}

func open(tree fsys.FS, dir string, config Config) (*Campaign, error) {
	c, err := begin(tree, dir, config)
	if err != nil {
		return nil, err
	}
	if len(c.Plans()) == 0 {
		_ = c.release()
		return nil, &RefusedError{
			Dir: dir, What: ErrNotBegun.Error(), Err: ErrNotBegun, Todo: "begin one with: mpf run -o " + dir + " FILE",
		}
	}
	if _, err := tree.Lstat(adoptingName); err == nil {
		_ = c.release()
		return nil, &RefusedError{
			Dir: dir, What: "its making from others was cut short", Todo: "give the same command again, or remove it",
		}
	}
	c.publisher = startPublisher(c)
	return c, nil
}

// begin locks a directory and recovers what is in it.
func begin(tree fsys.FS, dir string, config Config) (*Campaign, error) {
	c := &Campaign{dir: dir, tree: tree, config: config.withDefaults(), gate: gate.New()}
	if err := c.recover(); err != nil {
		return nil, c.abandon(err)
	}
	return c, nil
}

// abandon gives up a campaign that could not be begun, with a word of an error of
// storage for whoever looks at the directory.
func (c *Campaign) abandon(err error) error {
	err = explain(c.dir, err)
	if storage := new(StorageError); errors.As(err, &storage) && c.lock != nil {
		c.writeFailure(err)
	}
	_ = c.release() // what led here matters more
	return err
}

func (c *Campaign) recover() (err error) {
	now := c.config.Clock.Now
	if c.lock == nil {
		if c.lock, err = lock.Take(c.tree, now()); err != nil {
			return err
		}
	}
	if err := c.makeFolders(); err != nil {
		return err
	}
	if c.config.lead != nil {
		if err := c.config.lead(); err != nil {
			return err
		}
	}
	if err := lastword.Forget(c.tree); err != nil {
		return err
	}
	if err := lastword.Reserve(c.tree, c.config.reserve); err != nil {
		return err
	}
	c.journal, err = journal.Open(c.tree, journal.Config{
		MPF: c.config.MPF, Durability: string(c.config.Durability), Now: now,
	})
	if err != nil {
		return err
	}
	if err := c.loadPlans(); err != nil {
		return err
	}
	if err := c.recallKinds(); err != nil {
		return err
	}
	c.closed = c.journal.Summary().Closed
	return c.clearTemp()
}

// makeFolders makes what is missing of the layout, and all of it durable.
func (c *Campaign) makeFolders() error {
	for _, name := range []string{fsys.TempDir, "plan", "inputs", "runs", journal.Dir} {
		if err := c.tree.Mkdir(name); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return c.tree.SyncDir(".")
}

// clearTemp removes what earlier invocations left, but not the files of
// attempts that are still open.
func (c *Campaign) clearTemp() error {
	keep := map[string]bool{}
	for _, started := range c.journal.Unfinished() {
		keep[started.Start.Nonce] = true
	}
	entries, err := c.tree.ReadDir(fsys.TempDir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if keep[e.Name()] {
			continue
		}
		if err := fsys.RemoveTree(c.tree, filepath.Join(fsys.TempDir, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

func read(tree fsys.FS, dir string) (*Campaign, error) {
	c := &Campaign{dir: dir, tree: tree, config: Config{}.withDefaults()}
	var err error
	if c.journal, err = journal.Read(tree); err == nil {
		err = c.loadPlans()
	}
	if err == nil && len(c.Plans()) == 0 {
		err = &RefusedError{Dir: dir, What: ErrNotBegun.Error(), Err: ErrNotBegun, Todo: "name a directory that mpf run has made"}
	}
	if err != nil {
		return nil, errors.Join(explain(dir, err), tree.Close())
	}
	return c, nil
}

// Dir returns the campaign's directory.
func (c *Campaign) Dir() string { return c.dir }

// Tree returns the campaign's directory as storage, for tables.
func (c *Campaign) Tree() fsys.FS { return c.tree }

// Summary says what the campaign holds beside its runs.
func (c *Campaign) Summary() journal.Summary { return c.journal.Summary() }

// Complete says that the design has no run left to do. It is recorded by Close.
func (c *Campaign) Complete() { c.complete = true }

// release gives back what an open campaign holds, without a word in its record.
func (c *Campaign) release() error {
	var errs []error
	if c.journal != nil {
		errs = append(errs, c.journal.Close())
	}
	if c.lock != nil {
		errs = append(errs, c.lock.Close())
	}
	return errors.Join(append(errs, c.tree.Close())...)
}
