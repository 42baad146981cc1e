package execute

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"mpf/engine"
)

// notes collect what the steps of an attempt leave behind, in memory and in the
// attempt's folder.
type notes struct {
	dir  func() string // of the attempt's files; made when it is asked for
	loop *Loop
	run  engine.Run

	lock     sync.Mutex
	pages    []*page
	warnings []engine.Warning
	files    map[string]*output
	err      error // of writing
}

// An output is a file to which the commands of an attempt append.
type output struct {
	file   *os.File
	offset int64
}

func newNotes(dir func() string, l *Loop, run engine.Run) *notes {
	return &notes{dir: dir, loop: l, run: run, files: map[string]*output{}}
}

func (n *notes) warn(w engine.Warning) {
	n.lock.Lock()
	n.warnings = append(n.warnings, w)
	n.lock.Unlock()
	n.loop.Watch.Warned(n.run, w)
}

// stepped reports whether a step was executed.
func (n *notes) stepped() bool {
	n.lock.Lock()
	defer n.lock.Unlock()
	return len(n.pages) > 0
}

// append adds data to a file of the attempt and returns where it lies.
func (n *notes) append(name string, data []byte) int64 {
	if len(data) == 0 {
		return 0
	}
	n.lock.Lock()
	defer n.lock.Unlock()
	o := n.files[name]
	if o == nil {
		file, err := os.OpenFile(filepath.Join(n.dir(), name), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err != nil {
			n.fail(err)
			return 0
		}
		o = &output{file: file}
		n.files[name] = o
	}
	at := o.offset
	written, err := o.file.Write(data)
	o.offset += int64(written)
	n.fail(err)
	return at
}

func (n *notes) fail(err error) {
	if n.err == nil {
		n.err = err
	}
}

// close ends the files. What could not be written is an error of storage.
func (n *notes) close() ([]engine.StepRecord, []engine.Warning, error) {
	n.lock.Lock()
	defer n.lock.Unlock()
	for _, name := range sortedNames(n.files) {
		n.fail(n.files[name].file.Close())
	}
	records := make([]engine.StepRecord, len(n.pages))
	for i, p := range n.pages {
		records[i] = p.record
	}
	return records, n.warnings, n.err
}

// A page is the part of the notes that belongs to one step on one host. It is
// the step's journal.
type page struct {
	notes  *notes
	record engine.StepRecord
}

func (n *notes) page(p part) *page {
	pg := &page{notes: n, record: engine.StepRecord{
		Step: p.step.Name, Role: p.role, Host: p.host.Name, Start: n.loop.Clock.Now(),
	}}
	n.lock.Lock()
	defer n.lock.Unlock()
	n.pages = append(n.pages, pg)
	return pg
}

func (p *page) end(err error) {
	done := engine.Done{Status: engine.OK}
	if failure := new(engine.Failure); errors.As(err, &failure) {
		done.Status, done.Message = failure.Status, failure.Message
	}
	p.notes.lock.Lock()
	defer p.notes.lock.Unlock()
	p.record.Status, p.record.Message = done.Status, done.Message
	p.record.Seconds = p.notes.loop.Clock.Now().Sub(p.record.Start).Seconds()
}

// Log keeps a line of the step.
func (p *page) Log(text string) {
	p.notes.append("log", fmt.Appendf(nil, "%s %s %s: %s\n",
		p.notes.loop.Clock.Now().UTC().Format(time.RFC3339Nano), p.record.Step, p.record.Host, text))
	p.notes.loop.Watch.Logged(p.notes.run, p.record.Step, p.record.Host, text)
}

// Command keeps how a command ended and what it printed.
func (p *page) Command(o engine.Output) {
	record := engine.CommandRecord{
		Argv: o.Argv, Code: o.Code, Signal: o.Signal, TimedOut: o.TimedOut, Background: o.Background,
		Start: o.Started, Seconds: o.Seconds, Usage: o.Usage,
		Stdout: p.slice("stdout", o.Stdout), Stderr: p.slice("stderr", o.Stderr),
	}
	p.notes.lock.Lock()
	defer p.notes.lock.Unlock()
	p.record.Commands = append(p.record.Commands, record)
}

func (p *page) slice(file string, s engine.Stream) engine.Slice {
	return engine.Slice{Offset: p.notes.append(file, s.Data), Kept: int64(len(s.Data)), Size: s.Size}
}

// Span keeps a named stretch of time of the step.
func (p *page) Span(name string, start time.Time, d time.Duration, attributes map[string]engine.Value) {
	p.notes.lock.Lock()
	defer p.notes.lock.Unlock()
	p.record.Spans = append(p.record.Spans, engine.SpanRecord{Name: name, Start: start, Seconds: d.Seconds(), Attributes: attributes})
}

// FilePath returns where a file fetched from the step's host is to be written.
func (p *page) FilePath(name string) (string, error) {
	if !filepath.IsLocal(name) {
		return "", fmt.Errorf("file name %q leads out of the attempt's folder", name)
	}
	path := filepath.Join(p.notes.dir(), "files", p.record.Host, name)
	return path, os.MkdirAll(filepath.Dir(path), 0o700)
}
