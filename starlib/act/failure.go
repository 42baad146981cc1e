package act

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"mpf/engine"
	"mpf/starlib/script"
)

// failureOf makes the error of a step one that gives its attempt a status. The
// context is looked at first: what a command says when it is cut off is no
// finding.
func failureOf(ctx context.Context, rc *engine.RunContext, f *Function, err error) error {
	failure := classify(ctx, f, err)
	failure.Trace = script.Trace(err)
	if failure.Step == "" {
		failure.Step = f.Name
	}
	if failure.Host == "" {
		failure.Host = rc.Host.Name
	}
	return failure
}

func classify(ctx context.Context, f *Function, err error) *engine.Failure {
	if ctx.Err() != nil {
		return ended(f, context.Cause(ctx))
	}
	var known *engine.Failure
	if errors.As(err, &known) {
		own := *known
		return &own
	}
	innermost := script.Innermost(err)
	return &engine.Failure{
		Status: engine.Failed, Cause: engine.CauseScript, Err: innermost,
		Message: script.OneLine(script.WithHint(innermost.Error())),
	}
}

// ended is the failure of a step whose context ended.
func ended(f *Function, cause error) *engine.Failure {
	var known *engine.Failure
	switch {
	case errors.As(cause, &known):
		own := *known
		return &own
	case errors.Is(cause, context.DeadlineExceeded):
		return &engine.Failure{Status: engine.TimedOut, Cause: engine.CauseStep, Err: cause,
			Message: fmt.Sprintf("%s: still running after its timeout", f.Name)}
	}
	return &engine.Failure{Status: engine.Interrupted, Cause: engine.CauseUser, Err: cause,
		Message: fmt.Sprintf("%s: interrupted", f.Name)}
}

// hostError gives an error of a workspace a status, unless it has one.
func hostError(cause engine.Cause, what string, err error) error {
	var known *engine.Failure
	if errors.As(err, &known) {
		return err
	}
	return &engine.Failure{Status: engine.Failed, Cause: cause, Err: err,
		Message: script.OneLine(fmt.Sprintf("%s: %v", what, err))}
}

// judge returns the failure that the end of a command is, or nil.
func judge(o engine.Output, c engine.Command) error {
	who := commandName(c)
	switch {
	case o.TimedOut:
		return &engine.Failure{Status: engine.TimedOut, Cause: engine.CauseCommand,
			Message: fmt.Sprintf("%s: still running after %s%s", who, c.Timeout, lastWords(o))}
	case o.Stopped:
		return nil
	case o.Signal != "":
		return &engine.Failure{Status: engine.Failed, Cause: engine.CauseSignal,
			Message: fmt.Sprintf("%s: ended by %s%s", who, o.Signal, lastWords(o))}
	case o.Code != 0:
		return &engine.Failure{Status: engine.Failed, Cause: engine.CauseExit,
			Message: fmt.Sprintf("%s: exit status %d%s", who, o.Code, lastWords(o))}
	}
	return nil
}

func commandName(c engine.Command) string {
	if c.Name != "" {
		return c.Name
	}
	return clip(c.Argv[0], 80)
}

// lastWords quotes the end of what a command wrote, standard error first.
func lastWords(o engine.Output) string {
	for _, s := range []struct {
		name string
		data []byte
	}{{"stderr", o.Stderr.Data}, {"stdout", o.Stdout.Data}} {
		if end := ending(s.data); end != "" {
			return fmt.Sprintf("; %s ends %q", s.name, end)
		}
	}
	return ""
}

// lastWordsSize bounds the quoted end of a command's output.
const lastWordsSize = 240

// ending returns the last lines of data.
func ending(data []byte) string {
	text := strings.TrimSpace(string(data[max(0, len(data)-4*lastWordsSize):]))
	if len(text) <= lastWordsSize {
		return text
	}
	at := len(text) - lastWordsSize
	if line := strings.IndexByte(text[at:], '\n'); line >= 0 && at+line+1 < len(text) {
		return text[at+line+1:]
	}
	for at < len(text) && !utf8.RuneStart(text[at]) {
		at++
	}
	return text[at:]
}
