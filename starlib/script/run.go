package script

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"go.starlark.net/starlark"

	"mpf/engine"
)

// Limits bound one call into a script.
type Limits struct {
	Steps uint64        // of the interpreter; 0 is StepsPerRun
	Time  time.Duration // 0 is no bound but the context's
	// Memory bounds by how much the heap of the process may grow meanwhile; 0 is
	// no bound. It fits where nothing else runs.
	Memory uint64
	Print  func(engine.Pos, string)
}

// Bounds of calls. A step of the interpreter is roughly one operation, memory is
// in bytes.
const (
	StepsPerRun       = 1_000_000_000
	StepsPerLoad      = 10_000_000
	StepsPerPredicate = 1_000_000

	// MemoryPerLoad holds garbage too, of which a loop makes much.
	MemoryPerLoad = 1 << 30
)

// grace is how long a call may go on after its context ended. The interpreter
// looks at the end of each operation only, and a single one may be huge.
const grace = 2 * time.Second

// ErrTooLong says that a script used up its time.
var ErrTooLong = errors.New("the script used up its time")

// ErrTooManySteps says that a script used up its steps.
var ErrTooManySteps = errors.New("the script used up its steps")

// contextKey finds the context of a call in its thread.
const contextKey = "mpf.context"

// Context returns the context of the call that th executes.
func Context(th *starlark.Thread) context.Context {
	if ctx, ok := th.Local(contextKey).(context.Context); ok {
		return ctx
	}
	return context.Background()
}

// leftKey finds in a thread whether its call was left behind.
const leftKey = "mpf.left"

// Left reports whether nobody waits for the call that th executes any more:
// what it still does must touch nothing that outlives it.
func Left(th *starlark.Thread) bool {
	left, ok := th.Local(leftKey).(*atomic.Bool)
	return ok && left.Load()
}

// Run gives do a thread bounded by l and ctx. It returns at the latest a grace
// after the bound of time: an operation that cannot be stopped is left behind.
func Run(ctx context.Context, name string, l Limits, do func(*starlark.Thread) (starlark.Value, error)) (starlark.Value, error) {
	if l.Time > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, l.Time, fmt.Errorf("%w: %s", ErrTooLong, l.Time))
		defer cancel()
	}
	ctx, release := boundMemory(ctx, l.Memory)
	defer release()
	type outcome struct {
		v   starlark.Value
		err error
	}
	thread := newThread(ctx, name, l)
	var left atomic.Bool
	thread.SetLocal(leftKey, &left)
	done := make(chan outcome, 1)
	go func() {
		v, err := safely(thread, do)
		done <- outcome{v, err}
	}()
	stop := context.AfterFunc(ctx, func() { thread.Cancel(context.Cause(ctx).Error()) })
	defer stop()
	select {
	case o := <-done:
		return o.v, judge(ctx, o.err)
	case <-ctx.Done():
	}
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case o := <-done:
		return o.v, judge(ctx, o.err)
	case <-timer.C:
		left.Store(true)
		return nil, context.Cause(ctx)
	}
}

func newThread(ctx context.Context, name string, l Limits) *starlark.Thread {
	thread := &starlark.Thread{Name: name, Print: func(th *starlark.Thread, text string) {
		if l.Print != nil {
			l.Print(Pos(th.CallFrame(1).Pos), text)
		}
	}}
	steps := l.Steps
	if steps == 0 {
		steps = StepsPerRun
	}
	thread.SetMaxExecutionSteps(steps)
	thread.OnMaxSteps = func(th *starlark.Thread) {
		th.Cancel(fmt.Sprintf("%v: %d", ErrTooManySteps, steps))
	}
	thread.SetLocal(contextKey, ctx)
	return thread
}

func safely(thread *starlark.Thread, do func(*starlark.Thread) (starlark.Value, error)) (v starlark.Value, err error) {
	defer func() {
		if p := recover(); p != nil {
			v, err = nil, fmt.Errorf("fault in the interpreter: %v", p)
		}
	}()
	return do(thread)
}

// judge makes the end of the context the cause of an error: the interpreter's
// own does not wrap it.
func judge(ctx context.Context, err error) error {
	if err == nil || ctx.Err() == nil {
		return err
	}
	return &Ended{Cause: context.Cause(ctx), At: err}
}

// Ended is the error of a call whose context ended.
type Ended struct {
	Cause error // why the context ended
	At    error // where the script was
}

func (e *Ended) Error() string   { return e.Cause.Error() }
func (e *Ended) Unwrap() []error { return []error{e.Cause, e.At} }

// CallPure calls a function that neither waits nor prints, in the caller's
// goroutine. Its bound is one of steps.
func CallPure(fn starlark.Callable, kwargs []starlark.Tuple, l Limits) (starlark.Value, error) {
	return safely(newThread(context.Background(), fn.Name(), l), func(th *starlark.Thread) (starlark.Value, error) {
		return starlark.Call(th, fn, nil, kwargs)
	})
}
