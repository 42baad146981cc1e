package script

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"go.starlark.net/starlark"
)

// An operation that nothing can stop is left behind.
func TestACallReturnsAlthoughAnOperationGoesOn(t *testing.T) {
	release := make(chan struct{})
	finished := make(chan struct{})
	_, err := Run(t.Context(), "stuck", Limits{Time: time.Millisecond}, func(th *starlark.Thread) (starlark.Value, error) {
		<-release
		if !Left(th) {
			t.Error("the call does not know that it was left behind")
		}
		close(finished)
		return starlark.None, nil
	})
	if !errors.Is(err, ErrTooLong) {
		t.Errorf("got %v", err)
	}
	close(release)
	<-finished
}

func TestAPanicBecomesAnError(t *testing.T) {
	_, err := Run(t.Context(), "panics", Limits{}, func(*starlark.Thread) (starlark.Value, error) { panic("oh") })
	if err == nil || !strings.Contains(err.Error(), "oh") {
		t.Errorf("got %v", err)
	}
	b := New(Doc{Signature: "f()"}, func(*Call) (starlark.Value, error) { panic("oh") })
	_, err = starlark.Call(&starlark.Thread{}, b, nil, nil)
	if err == nil || !strings.Contains(err.Error(), "f: fault in mpf: oh") {
		t.Errorf("got %v", err)
	}
}

func TestACallEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("the user said so")
	_, err := Run(ctx, "f", Limits{}, func(th *starlark.Thread) (starlark.Value, error) {
		cancel(cause)
		<-Context(th).Done()
		return nil, Context(th).Err()
	})
	if !errors.Is(err, cause) {
		t.Errorf("got %v", err)
	}
}

func TestKeywordsAreSuggestedFromAllParameters(t *testing.T) {
	c := &Call{Name: "f", Kwargs: []starlark.Tuple{{starlark.String("tiemout"), starlark.None}}}
	var a, b, d starlark.Value
	err := c.Unpack("name?", &a, "timeout?", &b, "retries??", &d)
	var p *Problem
	if !errors.As(err, &p) || p.Hint != `did you mean "timeout"?` {
		t.Errorf("got %v", err)
	}
}
