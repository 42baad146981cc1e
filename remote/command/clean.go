package command

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"mpf/remote/traces"
)

// Clean removes all that mpf left where the argv leads, and returns what that
// was. It is done through the prefix, or none.
func (t Via) Clean(ctx context.Context, prefix ...string) ([]traces.Trace, error) {
	return clean(ctx, t.with(prefix...))
}

// Clean removes all that mpf left on this machine.
func (t Local) Clean(ctx context.Context, prefix ...string) ([]traces.Trace, error) {
	return clean(ctx, prefix)
}

func clean(ctx context.Context, through []string) ([]traces.Trace, error) {
	argv := append(append([]string{}, through...), "sh", "-c", traces.Script)
	c := exec.CommandContext(ctx, argv[0], argv[1:]...)
	c.SysProcAttr = ownSession()
	c.WaitDelay = time.Second
	printed, err := c.Output()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case errors.As(err, &exit):
		return nil, fmt.Errorf("%s ended with %v; it said %q", argv[0], err, strings.TrimSpace(string(exit.Stderr)))
	case err != nil:
		return nil, err
	}
	return traces.Parse(string(printed))
}
