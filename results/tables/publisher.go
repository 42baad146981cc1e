package tables

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"strings"
	"time"

	"mpf/engine"
	"mpf/results/columns"
	"mpf/results/fsys"
	"mpf/results/parquet"
	"mpf/results/record"
)

// Options say how tables are published.
type Options struct {
	MPF      string        // version
	Manifest func() string // JSON, kept in the metadata of runs.parquet, or nil

	// GoOn says that what an earlier invocation published is taken over where it
	// fits the record, instead of being derived anew, and that the next one may.
	GoOn bool

	// InDesign returns what knows the design of the latest plan. It is asked for
	// only where there are earlier plans. Where it is nil, or what it returns,
	// that is judged by levels, conditions, links and replicates.
	InDesign func(latest record.Plan) Holds
}

// Holds reports whether a design holds the run of an attempt that was made under
// another plan.
type Holds func(of record.Plan, a *record.Attempt) bool

// Report says what was published.
type Report struct {
	Tables   []record.File
	Sequence int64 // of the last attempt that is in them
	Took     time.Duration
	Warnings []engine.Warning
}

// A Growing is a record.Source that need not be walked over from its beginning.
type Growing interface {
	// AttemptsAfter yields the attempts whose sequence is greater.
	AttemptsAfter(sequence int64) iter.Seq2[*record.Attempt, error]
}

// A Learning is a Growing that may learn more of an attempt after it was closed.
type Learning interface {
	Growing
	// Reboots lists what was learnt, in the order in which it was. The attempts
	// say so themselves from then on.
	Reboots() []record.Reboot
}

// A Rooted is a record.Source that knows its directory.
type Rooted interface{ Tree() fsys.FS }

// A Publisher publishes a record that grows. It keeps what it derived, so that
// publishing again costs what is new. It is used by one goroutine.
type Publisher struct {
	tree    fsys.FS
	o       Options
	final   bool
	report  Report
	encoder *parquet.Encoder
	runs    *runTable
	steps   *stepTable
	usage   *usageTable
	plans   []record.Plan
	files   map[string]string // the plans' files
	last    int64
	end     lastAttempt // of those that were taken in
	reboots int         // that were
	source  record.Source
	begun   bool // tables were prepared once
	ids     idTexts
	kinds   map[string]columns.Mix // of results, kept when all is derived anew

	deployed      string   // what was deployed, as far as the table carries it, as JSON
	deployedNames []string // of all there was
}

// NewPublisher returns a publisher into a campaign's directory. It is that of
// the source, if it knows one, where tree is nil.
func NewPublisher(tree fsys.FS, o Options) *Publisher {
	return &Publisher{tree: tree, o: o, kinds: map[string]columns.Mix{}}
}

// Publish derives all tables of a record and publishes them.
func Publish(ctx context.Context, src record.Source, tree fsys.FS, o Options) (Report, error) {
	p := NewPublisher(tree, o)
	_, err := p.Publish(ctx, src, true)
	return p.report, err
}

// Publish publishes what the record holds now. Final says that nothing follows
// for a while: samples.parquet is made then.
func (p *Publisher) Publish(ctx context.Context, src record.Source, final bool) ([]record.File, error) {
	start := time.Now()
	if r, ok := src.(Rooted); ok && p.tree == nil {
		p.tree = r.Tree()
	}
	p.final, p.source = final, src
	err := p.try(ctx, src)
	if errors.Is(err, errRebuild) {
		p.forget()
		err = p.try(ctx, src)
	}
	p.report.Took = time.Since(start)
	if err != nil {
		return nil, err
	}
	if final && p.o.GoOn { // what follows goes on from the files
		p.plans, p.runs, p.steps, p.usage, p.begun = nil, nil, nil, nil, false
	}
	return p.report.Tables, nil
}

func (p *Publisher) try(ctx context.Context, src record.Source) error {
	if err := p.follow(ctx, src); err != nil {
		return err
	}
	return p.write(ctx)
}

// Report says what was published last.
func (p *Publisher) Report() Report { return p.report }

// forget drops all that was derived but the kinds of the results.
func (p *Publisher) forget() {
	for _, c := range p.runs.columns {
		if !c.typed {
			p.kinds[c.script] = c.mix
		}
	}
	p.plans = nil
}

// follow takes in the attempts that were closed since the last time.
func (p *Publisher) follow(ctx context.Context, src record.Source) (err error) {
	if err := p.prepare(src); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.runs.finish(), p.steps.finish(), p.usage.finish()) }()
	if err := p.amend(src); err != nil {
		return err
	}
	for a, err := range p.attempts(src) {
		if err != nil {
			return err
		}
		if a.Sequence <= p.last {
			continue
		}
		if err := p.take(src, a); err != nil {
			return err
		}
		p.end = lastOf(a)
		if p.last = a.Sequence; p.last%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

// prepare makes empty tables where there are none yet. Another plan changes what
// earlier rows say, so all is derived anew then.
func (p *Publisher) prepare(src record.Source) (err error) {
	plans := src.Plans()
	if len(plans) == 0 {
		return errors.New("the record holds no plan")
	}
	if len(plans) == len(p.plans) {
		return nil
	}
	if p.encoder == nil {
		if p.encoder, err = parquet.NewEncoder(); err != nil {
			return err
		}
	}
	if p.files, err = planFiles(p.tree, plans); err != nil {
		return err
	}
	p.plans = plans
	p.clear()
	if p.o.GoOn && !p.begun && p.resume(src) != nil {
		p.clear()
	}
	p.begun = true
	return nil
}

// clear makes empty tables.
func (p *Publisher) clear() {
	p.last, p.end, p.reboots = 0, lastAttempt{}, 0
	p.runs = newRunTable(p.encoder, p.plans, p.holds())
	p.steps = newStepTable(p.encoder)
	p.usage = newUsageTable(p.encoder)
}

// holds returns what judges the rows of earlier plans, or nil.
func (p *Publisher) holds() Holds {
	if p.o.InDesign == nil || len(p.plans) < 2 {
		return nil
	}
	return p.o.InDesign(p.plans[len(p.plans)-1])
}

func (p *Publisher) attempts(src record.Source) iter.Seq2[*record.Attempt, error] {
	if s, ok := src.(Growing); ok && p.last > 0 {
		return s.AttemptsAfter(p.last)
	}
	return src.Attempts()
}

func (p *Publisher) take(src record.Source, a *record.Attempt) error {
	view := p.runs.view(a.Plan)
	if view == nil || len(a.Start.Run.Treatment) != len(view.columns) {
		return fmt.Errorf("run %s: its plan %d is not the record's", a.Start.Run.ID, a.Plan)
	}
	known := len(p.runs.columns)
	id := p.ids.text(a.Start.Run.ID)
	if err := p.runs.put(id, a, view); err != nil {
		return err
	}
	for _, c := range p.runs.columns[known:] {
		c.mix.Join(p.kinds[c.script])
	}
	dir := func() string { return src.AttemptDir(a.Start.Run.ID, a.Start.Attempt) }
	hosts := measureAll(p.tree, dir, a, &view.Experiment)
	if err := p.steps.put(id, a, hosts); err != nil {
		return err
	}
	return p.usage.put(id, a, hosts)
}

// idTexts makes texts of run IDs, many in one piece of memory.
type idTexts struct{ piece strings.Builder }

func (t *idTexts) text(id engine.RunID) string {
	var text [2 * len(id)]byte
	hex.Encode(text[:], id[:])
	if t.piece.Cap()-t.piece.Len() < len(text) {
		t.piece = strings.Builder{}
		t.piece.Grow(idsTogether * len(text))
	}
	t.piece.Write(text[:])
	return t.piece.String()[t.piece.Len()-len(text):]
}

const idsTogether = 256
