package link

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"mpf/engine"
	"mpf/remote/facts"
	"mpf/remote/transfer"
	"mpf/remote/wire"
)

// A workspace is an attempt on the link's host.
type workspace struct {
	link    *Link
	id      uint32
	dir     string
	attempt engine.Attempt
	offset  time.Duration // of the host's clock when the attempt began
	files   atomic.Int64  // names of stdin files

	mu      sync.Mutex
	started []uint32 // processes
}

var _ engine.Workspace = (*workspace)(nil)

// patience is how long a cancelled call may take to end: its processes are asked
// to end first.
func (l *Link) patience() time.Duration { return l.options.Grace + time.Second }

func wireAttempt(a engine.Attempt) *wire.Attempt {
	return &wire.Attempt{
		Run: a.Run.String(), Number: a.Number, Nonce: a.Nonce,
		Sampling: wireSampling(a), Live: a.Output != nil,
	}
}

// Open begins an attempt.
func (l *Link) Open(ctx context.Context, a engine.Attempt) (engine.Workspace, error) {
	request := &wire.Request{Do: wire.OpOpen, Attempt: wireAttempt(a)}
	c := &call{}
	if request.Attempt.Sampling != nil {
		c.sink = &readingSink{sink: a.Readings}
	}
	sent := time.Now()
	id, err := l.begin(request, nil, c)
	if err != nil {
		return nil, err
	}
	got, err := l.await(ctx, id, c, 0)
	if err != nil {
		l.forget(id)
		return nil, err
	}
	if got.Opened == nil {
		return nil, l.misses(request.Do)
	}
	l.clock.compare(sent, got.came, got.Opened.Clock)
	return &workspace{link: l, attempt: a, id: id, dir: got.Opened.Dir, offset: l.Clock().Offset}, nil
}

// misses is the error of a reply that lacks what it must hold.
func (l *Link) misses(do wire.Operation) error {
	err := &wire.ProtocolError{What: fmt.Sprintf("an empty reply to %q", do)}
	l.end(err)
	return l.explain(err)
}

// Fence makes sure that nothing of an attempt is left on the host.
func (l *Link) Fence(ctx context.Context, a engine.Attempt) (engine.Fenced, error) {
	got, err := l.do(ctx, &wire.Request{Do: wire.OpFence, Attempt: wireAttempt(a)}, nil, 0)
	if err != nil {
		return engine.Fenced{}, err
	}
	if got.Fenced == nil {
		return engine.Fenced{}, l.misses(wire.OpFence)
	}
	fenced := engine.Fenced{How: "swept", Killed: got.Fenced.Killed}
	if left := got.Fenced.Left; len(left) > 0 {
		return fenced, l.failure(engine.CauseAgentDied, fmt.Errorf("processes of an earlier attempt cannot be killed: %s", strings.Join(left, ", ")))
	}
	return fenced, nil
}

// Facts describes the host.
func (l *Link) Facts(ctx context.Context, tools []string) (map[string]engine.Value, error) {
	var files []wire.File
	var lookErr error
	var looking sync.WaitGroup
	looking.Go(func() { files, lookErr = l.Look(ctx, facts.Patterns()...) })
	got, err := l.do(ctx, &wire.Request{Do: wire.OpFacts, Tools: tools}, nil, 0)
	looking.Wait()
	if err == nil {
		err = lookErr
	}
	if err != nil {
		return nil, err
	}
	known := facts.From(files)
	for name, value := range got.Facts {
		known[name] = plain(value)
	}
	return known, nil
}

// plain makes an engine's value of what JSON gave.
func plain(v any) engine.Value {
	switch v := v.(type) {
	case float64:
		if whole := int64(v); float64(whole) == v {
			return whole
		}
		return v
	case []any:
		values := make([]engine.Value, len(v))
		for i, item := range v {
			values[i] = plain(item)
		}
		return values
	case bool, string, nil:
		return v
	}
	return fmt.Sprint(v)
}

func (w *workspace) Dir() string { return w.dir }

// request begins a request that concerns the workspace.
func (w *workspace) request(do wire.Operation) *wire.Request {
	return &wire.Request{Do: do, Workspace: w.id}
}

func (w *workspace) Put(ctx context.Context, local, to string) error {
	if strings.HasSuffix(to, "/") {
		to = path.Join(to, baseName(local))
	}
	if _, err := os.Stat(local); errors.Is(err, fs.ErrNotExist) {
		return w.artifact(fmt.Errorf("no file %q on the controller", local))
	}
	return w.send(ctx, transfer.Tree(local), to)
}

func (w *workspace) WriteFile(ctx context.Context, to string, data []byte, mode fs.FileMode) error {
	return w.send(ctx, transfer.Bytes{Content: data, Mode: mode}, to)
}

func (w *workspace) send(ctx context.Context, from transfer.Source, to string) error {
	r := w.request(wire.OpPut)
	r.Path = to
	return w.overStream(ctx, r, func(s *wire.Stream) error { return transfer.Send(s, from) })
}

func (w *workspace) Get(ctx context.Context, from, local string) error {
	r := w.request(wire.OpGet)
	r.Path = from
	return w.overStream(ctx, r, func(s *wire.Stream) error { return transfer.Receive(s, local) })
}

func (w *workspace) ReadFile(ctx context.Context, from string, limit int64) ([]byte, error) {
	r := w.request(wire.OpRead)
	r.Path, r.Limit = from, limit
	var content []byte
	err := w.overStream(ctx, r, func(s *wire.Stream) error {
		var err error
		content, err = io.ReadAll(io.LimitReader(s, limit+1))
		return err
	})
	return content, err
}

// overStream runs a call with a stream. The reply's error, if there is one, is
// what went wrong on the host; the stream's is what came of it here.
func (w *workspace) overStream(ctx context.Context, r *wire.Request, talk func(*wire.Stream) error) error {
	c := &call{}
	id, err := w.link.begin(r, nil, c)
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { c.stream.Break(context.Cause(ctx)) })
	defer stop()
	talkErr := talk(c.stream)
	if talkErr != nil {
		w.link.cancel(id)
	}
	_, err = w.link.await(ctx, id, c, time.Second)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case talkErr != nil && (err == nil || c.cancelledByUs(err)):
		return w.artifact(talkErr)
	}
	return err
}

// cancelledByUs reports whether the host's error only says that this end gave
// up.
func (c *call) cancelledByUs(err error) bool {
	return strings.HasSuffix(err.Error(), "cancelled")
}

func (w *workspace) artifact(err error) error {
	return &engine.Failure{
		Status: engine.Failed, Cause: engine.CauseArtifact, Host: w.link.options.Host,
		Message: err.Error(), Err: err,
	}
}

func (w *workspace) WaitPort(ctx context.Context, port int) error {
	r := w.request(wire.OpPort)
	r.Port = port
	_, err := w.link.do(ctx, r, nil, 0)
	return err
}

// clockWarnings tell of a clock that was set during the attempt. Durations are
// right nevertheless.
func (w *workspace) clockWarnings() []string {
	const step = 100 * time.Millisecond // less is what discipline by NTP does
	set := w.link.Clock().Offset - w.offset
	if set.Abs() < step {
		return nil
	}
	return []string{fmt.Sprintf("its clock or the controller's was set during the run, by %s against the other", -set.Round(time.Millisecond))}
}

// Close ends the attempt on the host.
func (w *workspace) Close(ctx context.Context) (engine.Closing, error) {
	sent := time.Now()
	got, err := w.link.do(ctx, w.request(wire.OpClose), nil, 0)
	w.mu.Lock()
	w.link.forget(append(w.started, w.id)...)
	w.mu.Unlock()
	if err != nil {
		return engine.Closing{}, err
	}
	closed := got.Closed
	if closed == nil {
		return engine.Closing{}, w.link.misses(wire.OpClose)
	}
	w.link.clock.compare(sent, got.came, closed.Clock)
	return engine.Closing{
		Killed: closed.Killed, Unkillable: closed.Unkillable,
		Readings: closed.Readings, Missed: closed.Missed,
		SamplerCPU: closed.SamplerCPU, SampleSize: closed.SampleSize,
		Warnings: append(closed.Warnings, w.clockWarnings()...),
	}, w.link.suspended(closed.Suspended)
}
