package starlib

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"go.starlark.net/starlark"

	"mpf/engine"
	"mpf/starlib/script"
	"mpf/starlib/source"
)

// Load reads an experiment file and all that it loads. Its error, if the files
// could be read at all, is an engine.Mistakes: all that is wrong with them,
// sorted by place.
func Load(ctx context.Context, path string, o Options) (*engine.Experiment, error) {
	folder, name, err := source.Open(path)
	if err != nil {
		return nil, engine.Mistakes{{Pos: engine.Pos{File: path}, Message: err.Error()}}
	}
	d := &declarations{options: o, places: map[string]engine.Pos{}}
	l := newLoader(d, folder)
	// Closing a folder that was only read cannot lose anything.
	defer func() { _ = folder.Close() }()
	return l.load(ctx, path, name)
}

// load executes the main file and resolves what it declared.
func (l *loader) load(ctx context.Context, path, name string) (*engine.Experiment, error) {
	d := l.d
	content, err := l.folder.Main(name)
	if err != nil {
		return nil, engine.Mistakes{{Pos: engine.Pos{File: path}, Message: err.Error()}}
	}
	_, err = script.Run(ctx, path, d.options.limits(), func(th *starlark.Thread) (starlark.Value, error) {
		_, err := l.execute(th, name, content)
		return nil, err
	})
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	var ended *script.Ended
	if err != nil && !errors.Is(err, errReported) && (!d.damaged || errors.As(err, &ended)) {
		l.stopped(path, err)
	}
	if err != nil {
		return nil, clone(d.mistakes).Err()
	}
	d.closed = true
	e := d.resolve(l.folder.Display(name), l.sources)
	d.suggestParameters()
	if err := d.mistakes.Err(); err != nil {
		return nil, err
	}
	return e, nil
}

// clone copies mistakes of a script that may still run behind its bound.
func clone(m engine.Mistakes) engine.Mistakes { return append(engine.Mistakes(nil), m...) }

// stopped notes an error that ended the file before its end.
func (l *loader) stopped(path string, err error) {
	pos := engine.Pos{File: path}
	if trace := script.Trace(err); len(trace) > 0 {
		pos = trace[len(trace)-1]
	}
	innermost := script.Innermost(err)
	if ended := new(script.Ended); errors.As(err, &ended) {
		innermost = ended.Cause
	}
	l.d.note(pos, innermost)
}

// errReported says that the mistakes of a file are noted already.
var errReported = errors.New("it has mistakes")

// A loader executes files, each once.
type loader struct {
	d       *declarations
	folder  *source.Folder
	sources *sources
	names   starlark.StringDict
	modules map[string]*module
	chain   []string // files that are being loaded
}

// A module is a file that was loaded; without globals it still is being.
type module struct {
	globals starlark.StringDict
	err     error
}

func newLoader(d *declarations, folder *source.Folder) *loader {
	return &loader{d: d, folder: folder, names: d.predeclared(), modules: map[string]*module{}, sources: newSources(folder)}
}

// execute parses and executes a file in a thread.
func (l *loader) execute(th *starlark.Thread, name string, content []byte) (starlark.StringDict, error) {
	display := l.folder.Display(name)
	sum := sha256.Sum256(content)
	l.sources.list = append(l.sources.list, engine.Source{Path: name, SHA256: hex.EncodeToString(sum[:]), Content: string(content)})
	p := parse(display, content, l.names.Has)
	l.d.mistakes = append(l.d.mistakes, p.mistakes...)
	l.d.damaged = l.d.damaged || len(p.mistakes) > 0
	if p.program == nil {
		return nil, errReported
	}
	l.sources.add(name, p.file)
	l.chain = append(l.chain, name)
	defer func() { l.chain = l.chain[:len(l.chain)-1] }()
	before := th.Load
	th.Load = l.require
	defer func() { th.Load = before }()
	globals, err := p.program.Init(th, withMissing(l.names, p.missing))
	globals.Freeze()
	l.sources.globals(name, globals)
	return globals, err
}

// require loads a file for another one.
func (l *loader) require(th *starlark.Thread, name string) (starlark.StringDict, error) {
	name = strings.TrimPrefix(name, "./")
	m, known := l.modules[name]
	if !known && name == l.chain[0] || known && m.globals == nil && m.err == nil {
		return nil, script.Problemf("load: %s lead back to it", strings.Join(append(l.chain, name), " -> "))
	}
	if known {
		return m.globals, m.err
	}
	m = &module{}
	l.modules[name] = m
	content, err := l.folder.Read(name)
	if err != nil {
		m.err = script.Problemf("load %q: %v", name, err)
		return nil, m.err
	}
	m.globals, m.err = l.execute(th, name, content)
	return m.globals, m.err
}

// suggestParameters mends the hints of names that are variables: a step gets
// them as parameters.
func (d *declarations) suggestParameters() {
	for i := range d.mistakes {
		m := &d.mistakes[i]
		if name, ok := strings.CutPrefix(m.Message, undefined); ok && d.variable(name) >= 0 {
			m.Hint = fmt.Sprintf("it is a variable: add %s to the parameters of the step", name)
		}
	}
}
