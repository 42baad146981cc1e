package campaign

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"mpf/engine"
	"mpf/results/durable"
	"mpf/results/exact"
	"mpf/results/fsys"
	"mpf/results/journal"
	"mpf/results/record"
)

// An attempt is the open end of an attempt. Its files lie in a folder under
// tmp until they get their place among the runs.
type attempt struct {
	campaign  *Campaign
	start     engine.Start
	abandoned bool
	leave     func() // lets tables be made where it kept them from it

	mu       sync.Mutex
	made     bool // the folder
	segments []*segment
}

var _ engine.AttemptLog = (*attempt)(nil)

// temp is the folder of an attempt's files while it is open.
func (a *attempt) temp() string { return path.Join(fsys.TempDir, a.start.Nonce) }

// final is their folder once it is closed.
func (a *attempt) final() string { return attemptDir(a.start.Run.ID, a.start.Attempt) }

func attemptDir(run engine.RunID, attempt int) string {
	return path.Join("runs", run.String(), strconv.Itoa(attempt))
}

// AttemptDir implements record.Source.
func (c *Campaign) AttemptDir(run engine.RunID, attempt int) string { return attemptDir(run, attempt) }

// begin records the start.
func (a *attempt) begin() error {
	c := a.campaign
	return c.commit(&journal.Started{Plan: len(c.Plans()), Invocation: c.journal.Invocation(), Start: a.start})
}

// Dir implements engine.AttemptLog. The folder is made when it is first asked
// for: most short runs leave no file, and to make and remove a folder costs more
// than to record them.
func (a *attempt) Dir() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.makeDir()
	return filepath.Join(a.campaign.dir, filepath.FromSlash(a.temp()))
}

// makeDir makes the folder, once. Its error is the campaign's: Done returns it.
// The caller holds the lock.
func (a *attempt) makeDir() {
	if a.made {
		return
	}
	a.made = true
	if err := a.campaign.tree.Mkdir(a.temp()); err != nil {
		_ = a.campaign.fail(err)
	}
}

// Done implements engine.AttemptLog.
func (a *attempt) Done(_ context.Context, d engine.Done) error {
	defer a.leave()
	return a.record(d)
}

// record gives the files of the attempt their place and closes it.
func (a *attempt) record(d engine.Done) error {
	c := a.campaign
	if err := a.refuseResults(&d); err != nil {
		return c.fail(err)
	}
	d.Warnings = append(d.Warnings, c.kinds.Note(a.start.Run.ID, d.Results)...)
	rows, err := a.closeSegments(&d)
	if err != nil {
		return c.fail(err)
	}
	files, err := a.keep(rows)
	if err != nil {
		return c.fail(err)
	}
	ended := &journal.Ended{Run: a.start.Run.ID, Attempt: a.start.Attempt, Nonce: a.start.Nonce, Done: d, Files: files}
	err = c.commit(ended)
	if errors.Is(err, journal.ErrTooLong) {
		if ended, err = a.spill(ended); err != nil {
			return c.fail(err)
		}
		err = c.commit(ended)
	}
	if err == nil {
		c.publisher.changed()
	}
	return err
}

// refuseResults takes out the results that the record cannot hold. They fail
// the attempt; texts among them are kept as files.
func (a *attempt) refuseResults(d *engine.Done) error {
	kept := make(engine.Results, 0, len(d.Results))
	for _, result := range d.Results {
		cause := exact.CheckValue(result.Value)
		if cause == nil {
			kept = append(kept, result)
			continue
		}
		if text, ok := result.Value.(string); ok {
			if err := a.writeFile("result-"+safeName(result.Name), []byte(text)); err != nil {
				return err
			}
		}
		if d.Status == engine.OK {
			d.Status, d.Cause = engine.Failed, engine.CauseResultType
			d.Message = fmt.Sprintf("result %q: %v (write it to a file of the run instead)", result.Name, cause)
		}
	}
	d.Results = kept
	return nil
}

func (a *attempt) writeFile(name string, data []byte) (err error) {
	a.mu.Lock()
	a.makeDir()
	a.mu.Unlock()
	f, err := fsys.Create(a.campaign.tree, path.Join(a.temp(), name))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if _, err := f.Write(data); err != nil {
		return err
	}
	return f.Sync()
}

// safeName makes one part of a path of a name.
func safeName(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '/' || r == '\\' || r < ' ' {
			return '_'
		}
		return r
	}, name)
}

// spill writes the end of an attempt to a file of its folder, which has its
// final place already, and returns an event that names the file.
func (a *attempt) spill(e *journal.Ended) (*journal.Ended, error) {
	text, err := journal.EncodeSpill(journal.Spill{Done: e.Done, Files: e.Files})
	if err != nil {
		return nil, err
	}
	tree := a.campaign.tree
	if err := fsys.MakeDir(tree, a.final()); err != nil {
		return nil, err
	}
	if err := fsys.WriteFile(tree, path.Join(a.final(), spillName), text); err != nil {
		return nil, err
	}
	short := *e
	short.Files = nil
	short.Spilled = &record.File{Path: spillName, Size: int64(len(text)), SHA256: durable.SHA256(text)}
	short.Done = engine.Done{
		Status: e.Done.Status, Cause: e.Done.Cause, Wall: e.Done.Wall, Seconds: e.Done.Seconds, Gap: e.Done.Gap,
	}
	return &short, nil
}

const (
	spillName = "record.json"
	maxSpill  = 1 << 30
)

// unspill puts back what spill took out.
func (c *Campaign) unspill(e *journal.Ended) error {
	if e.Spilled == nil {
		return nil
	}
	spilled, err := c.readSpill(attemptDir(e.Run, e.Attempt), *e.Spilled)
	if err == nil {
		e.Done, e.Files = spilled.Done, spilled.Files
	}
	return err
}

// unspillFiles puts back the files that spill took out.
func (c *Campaign) unspillFiles(l *journal.Left) error {
	if l.Spilled == nil {
		return nil
	}
	spilled, err := c.readSpill(attemptDir(l.Run, l.Attempt), *l.Spilled)
	l.Files = spilled.Files
	return err
}

// readSpill reads what spill wrote; its file is the last of the files.
func (c *Campaign) readSpill(dir string, file record.File) (journal.Spill, error) {
	name := path.Join(dir, file.Path)
	text, err := durable.Read(c.tree, name, file.SHA256, maxSpill)
	if err != nil {
		return journal.Spill{}, err
	}
	spilled, err := journal.DecodeSpill(text)
	if err != nil {
		return journal.Spill{}, &journal.Damage{File: name, What: err.Error()}
	}
	spilled.Files = append(spilled.Files, file)
	return spilled, nil
}
