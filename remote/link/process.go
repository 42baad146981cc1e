package link

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"sync"
	"time"

	"mpf/engine"
	"mpf/remote/wire"
)

// inlineStdin is how much of a command's stdin goes with its call.
const inlineStdin = 512 << 10

// readyLimit is how long a process may take to be ready if nothing else is said.
const readyLimit = 30 * time.Second

func (w *workspace) Run(ctx context.Context, c engine.Command) (engine.Output, error) {
	r, stdin, err := w.command(ctx, wire.OpRun, c)
	if err != nil {
		return engine.Output{}, err
	}
	call := &call{display: w.display(c)}
	id, err := w.link.begin(r, stdin, call)
	if err != nil {
		return engine.Output{}, w.tooLong(c, err)
	}
	got, err := w.link.await(ctx, id, call, w.link.patience())
	if call.display != nil {
		w.link.forget(id)
	}
	if got.Exit == nil {
		return engine.Output{}, w.noExit(wire.OpRun, err)
	}
	out, exitErr := w.output(c.Argv, got)
	if c.Sudo && exitErr == nil {
		exitErr = w.sudoRefusal(out)
	}
	return out, errors.Join(err, exitErr)
}

// noExit is the error of a reply without an exit.
func (w *workspace) noExit(do wire.Operation, err error) error {
	if err != nil {
		return err
	}
	return w.link.misses(do)
}

// command makes the request of a command; a large stdin becomes a file first.
func (w *workspace) command(ctx context.Context, do wire.Operation, c engine.Command) (*wire.Request, []byte, error) {
	if len(c.Argv) == 0 || c.Argv[0] == "" {
		return nil, nil, &engine.Failure{Status: engine.Failed, Cause: engine.CauseScript, Message: "a command without a program", Host: w.link.options.Host}
	}
	r := w.request(do)
	r.Command = &wire.Command{Argv: c.Argv, Env: c.Env, Dir: c.Dir, Timeout: c.Timeout, Sudo: c.Sudo}
	if len(c.Stdin) <= inlineStdin {
		return r, c.Stdin, nil
	}
	r.Command.StdinFile = fmt.Sprintf(".mpf-stdin-%d", w.files.Add(1))
	return r, nil, w.WriteFile(ctx, r.Command.StdinFile, c.Stdin, 0o600)
}

// tooLong is the failure of a command that does not fit in a message.
func (w *workspace) tooLong(c engine.Command, err error) error {
	if !errors.Is(err, wire.ErrTooLong) {
		return err
	}
	return &engine.Failure{
		Status: engine.Failed, Cause: engine.CauseScript, Host: w.link.options.Host,
		Message: fmt.Sprintf("command %q: its arguments and environment are too long: %v (hand them over as stdin, or in a file: ctx.write)", c.Argv[0], err), Err: err,
	}
}

// display passes output on as it comes, under the command's name; nil where
// nobody wants it.
func (w *workspace) display(c engine.Command) func(bool, []byte) {
	if w.attempt.Output == nil {
		return nil
	}
	name := c.Name
	if name == "" {
		name = c.Argv[0]
	}
	return func(stderr bool, data []byte) {
		w.attempt.Output.Write(w.link.options.Host, name, stderr, data)
	}
}

// output makes the engine's view of an exit. The body holds stdout and stderr.
func (w *workspace) output(argv []string, a answer) (engine.Output, error) {
	e := a.Exit
	if e.Stdout.Kept < 0 || e.Stderr.Kept < 0 || e.Stdout.Kept+e.Stderr.Kept != int64(len(a.body)) {
		err := &wire.ProtocolError{What: fmt.Sprintf("an output of %d bytes, where %d and %d were kept", len(a.body), e.Stdout.Kept, e.Stderr.Kept)}
		w.link.end(err)
		return engine.Output{}, w.link.explain(err)
	}
	return engine.Output{
		Argv: argv, Code: e.Code, Signal: e.Signal, TimedOut: e.TimedOut, Stopped: e.Stopped,
		Stdout:  stream(a.body[:e.Stdout.Kept], e.Stdout),
		Stderr:  stream(a.body[e.Stdout.Kept:], e.Stderr),
		Started: w.link.clock.here(e.Started), Seconds: e.Seconds,
		Usage: engine.Usage(e.Usage),
	}, w.link.suspended(e.Suspended)
}

func stream(data []byte, c wire.Captured) engine.Stream {
	return engine.Stream{Data: data, Size: c.Size, Truncated: c.Size > c.Kept}
}

// A process is a command in the background.
type process struct {
	w    *workspace
	id   uint32 // of the call that started it
	argv []string
	sudo bool
}

func (w *workspace) Start(ctx context.Context, c engine.Command, ready engine.Ready) (engine.Process, error) {
	r, stdin, err := w.command(ctx, wire.OpStart, c)
	if err != nil {
		return nil, err
	}
	call := &call{display: w.display(c)}
	var lines *lineMatcher
	if ready.Pattern != "" {
		if lines, err = newLineMatcher(ready.Pattern); err != nil {
			return nil, err
		}
		call.follow, r.Watch = lines.take, true
	} else if ready != (engine.Ready{}) {
		r.Ready = &wire.Ready{Port: ready.Port, File: ready.File, Timeout: ready.Timeout}
	}
	id, err := w.link.begin(r, stdin, call)
	if err != nil {
		return nil, w.tooLong(c, err)
	}
	w.mu.Lock()
	w.started = append(w.started, id)
	w.mu.Unlock()
	if _, err := w.link.await(ctx, id, call, w.link.patience()); err != nil {
		if c.Sudo {
			err = w.sudoNotReady(c.Argv, err)
		}
		return nil, err
	}
	p := &process{w: w, id: id, argv: c.Argv, sudo: c.Sudo}
	if lines == nil {
		return p, nil
	}
	return p, p.awaitLine(ctx, lines, ready)
}

// awaitLine waits until the process printed what shows that it is ready. One
// that does not is stopped.
func (p *process) awaitLine(ctx context.Context, lines *lineMatcher, ready engine.Ready) error {
	limit := ready.Timeout
	if limit <= 0 {
		limit = readyLimit
	}
	watch, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	ended := make(chan engine.Output, 1)
	refused := make(chan error, 1)
	go func() {
		out, err := p.Wait(watch)
		var known *engine.Failure
		switch {
		case err == nil:
			ended <- out
		case p.sudo && errors.As(err, &known) && known.Status == engine.Failed:
			refused <- err
		}
	}()
	var err error
	select {
	case <-lines.found:
		return p.seen(ctx)
	case out := <-ended:
		// What it printed last came before its end.
		select {
		case <-lines.found:
			return nil
		default:
			err = p.endedEarly(out)
		}
	case err := <-refused:
		return err
	case <-watch.Done():
		err = p.notReady(ctx, limit, ready.Pattern)
	case <-p.w.link.over:
		return p.w.link.Err()
	}
	stopping, done := context.WithTimeout(context.WithoutCancel(ctx), p.w.link.patience())
	defer done()
	if _, stopErr := p.Stop(stopping); stopErr != nil {
		err = errors.Join(err, stopErr)
	}
	return err
}

func (p *process) notReady(ctx context.Context, limit time.Duration, pattern string) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return &engine.Failure{
		Status: engine.TimedOut, Cause: engine.CauseCommand, Host: p.w.link.options.Host,
		Message: fmt.Sprintf("command %q: not ready after %s: no line matches %q", p.argv[0], limit, pattern),
	}
}

func (p *process) endedEarly(out engine.Output) error {
	words := bytes.TrimSpace(out.Stderr.Data)
	if len(words) == 0 {
		words = bytes.TrimSpace(out.Stdout.Data)
	}
	const enough = 300
	words = words[max(0, len(words)-enough):]
	how := fmt.Sprintf("exit status %d", out.Code)
	if out.Signal != "" {
		how = out.Signal
	}
	return &engine.Failure{
		Status: engine.Failed, Cause: engine.CauseExit, Host: p.w.link.options.Host,
		Message: fmt.Sprintf("command %q: ended with %s before it was ready; it printed %q", p.argv[0], how, words),
	}
}

func (p *process) request(do wire.Operation) *wire.Request {
	r := p.w.request(do)
	r.Process = p.id
	return r
}

// seen tells the agent that output need not be followed any more.
func (p *process) seen(ctx context.Context) error {
	_, err := p.w.link.do(ctx, p.request(wire.OpSeen), nil, 0)
	return err
}

func (p *process) Wait(ctx context.Context) (engine.Output, error) { return p.end(ctx, wire.OpWait) }
func (p *process) Stop(ctx context.Context) (engine.Output, error) { return p.end(ctx, wire.OpStop) }

func (p *process) end(ctx context.Context, do wire.Operation) (engine.Output, error) {
	got, err := p.w.link.do(ctx, p.request(do), nil, 0)
	if err != nil {
		return engine.Output{}, err
	}
	if got.Exit == nil {
		return engine.Output{}, p.w.noExit(do, nil)
	}
	out, err := p.w.output(p.argv, got)
	if p.sudo && err == nil {
		err = p.w.sudoRefusal(out)
	}
	return out, err
}

func (p *process) Stdout(ctx context.Context) ([]byte, error) {
	got, err := p.w.link.do(ctx, p.request(wire.OpStdout), nil, 0)
	return got.body, err
}

// A lineMatcher looks for a line in output that comes in pieces. A line that is
// not ended yet is looked at too: a prompt has no end.
type lineMatcher struct {
	pattern *regexp.Regexp
	found   chan struct{}

	mu   sync.Mutex
	done bool
	rest [2][]byte // of stdout and stderr
}

// longestLine bounds what is kept of a line that does not end.
const longestLine = 64 << 10

func newLineMatcher(pattern string) (*lineMatcher, error) {
	compiled, err := regexp.Compile(pattern)
	if err != nil {
		return nil, &engine.Failure{
			Status: engine.Failed, Cause: engine.CauseScript,
			Message: fmt.Sprintf("ready pattern %q: %v", pattern, err), Err: err,
		}
	}
	return &lineMatcher{pattern: compiled, found: make(chan struct{})}, nil
}

func (m *lineMatcher) take(stderr bool, data []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.done {
		return
	}
	of := 0
	if stderr {
		of = 1
	}
	rest := append(m.rest[of], data...)
	for {
		line, after, complete := bytes.Cut(rest, []byte{'\n'})
		if m.pattern.Match(line) {
			m.done = true
			close(m.found)
			return
		}
		if !complete {
			break
		}
		rest = after
	}
	m.rest[of] = rest[max(0, len(rest)-longestLine):]
}

func baseName(local string) string { return filepath.Base(filepath.Clean(local)) }
