package starlib

import (
	"context"

	"go.starlark.net/starlark"

	"mpf/starlib/analyse"
	"mpf/starlib/declare"
	"mpf/starlib/script"
	"mpf/starlib/source"
)

// Evaluate executes an analysis file: tables and checks are in the session
// afterwards. Its error is an engine.Mistakes where the file is wrong.
func Evaluate(ctx context.Context, path string, s *analyse.Session, o Options) error {
	folder, name, err := source.Open(path)
	if err != nil {
		return unreadable(path, err)
	}
	defer func() { _ = folder.Close() }() // it was only read
	l := newLoader(declare.New(nil, o.Print), folder)
	l.names = s.Predeclared()
	content, err := l.folder.Main(name)
	if err != nil {
		return unreadable(path, err)
	}
	limits := o.limits()
	if o.MaxSteps == 0 {
		limits.Steps = script.StepsPerRun
	}
	limits.Time, limits.Memory = o.Timeout, analysisMemory
	_, err = script.Run(ctx, path, limits, func(th *starlark.Thread) (starlark.Value, error) {
		_, err := l.execute(th, name, content)
		return nil, err
	})
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		l.stopped(path, err)
	}
	return l.d.Mistakes()
}

// analysisMemory holds tables of a million rows beside what is made of them.
const analysisMemory = 4 << 30
