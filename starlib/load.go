package starlib

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"go.starlark.net/starlark"

	"mpf/engine"
	"mpf/starlib/code"
	"mpf/starlib/declare"
	"mpf/starlib/script"
	"mpf/starlib/source"
)

// Load reads an experiment file and all that it loads. Its error, if the files
// could be read at all, is an engine.Mistakes: all that is wrong with them,
// sorted by place.
func Load(ctx context.Context, path string, o Options) (*engine.Experiment, error) {
	folder, name, err := source.Open(path)
	if err != nil {
		return nil, unreadable(path, err)
	}
	// Closing a folder that was only read cannot lose anything.
	defer func() { _ = folder.Close() }()
	return newLoader(declare.New(o.Flags, o.Print), folder).load(ctx, path, name, o.limits())
}

func unreadable(path string, err error) error {
	return engine.Mistakes{{Pos: engine.Pos{File: path}, Message: fmt.Sprintf("%s: %v", path, err)}}
}

// load executes the main file and resolves what it declared.
func (l *loader) load(ctx context.Context, path, name string, limits script.Limits) (*engine.Experiment, error) {
	d := l.d
	content, err := l.folder.Main(name)
	if err != nil {
		return nil, unreadable(path, err)
	}
	_, err = script.Run(ctx, path, limits, func(th *starlark.Thread) (starlark.Value, error) {
		_, err := l.execute(th, name, content)
		return nil, err
	})
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		l.stopped(path, err)
		return nil, d.Mistakes()
	}
	e := d.Resolve(l.folder.Display(name), l.files)
	if err := d.Mistakes(); err != nil {
		return nil, err
	}
	return e, nil
}

// stopped notes an error that ended a file before its end, unless it may be the
// consequence of a mistake that is noted already.
func (l *loader) stopped(path string, err error) {
	ended := new(script.Ended)
	bounded := errors.As(err, &ended)
	if errors.Is(err, errReported) || l.d.Damaged() && !bounded {
		return
	}
	pos := engine.Pos{File: path, Line: 1, Col: 1}
	if trace := script.Trace(err); len(trace) > 0 {
		pos = trace[len(trace)-1]
	}
	if bounded {
		err = ended.Cause
	}
	l.d.Note(pos, script.Innermost(err))
}

// errReported says that the mistakes of a file are noted already.
var errReported = errors.New("it has mistakes")

// A loader executes files, each once.
type loader struct {
	d       *declare.Declarations
	folder  *source.Folder
	files   *code.Files
	names   starlark.StringDict
	modules map[string]*module
	chain   []string // files that are being loaded
}

// A module is a file that was loaded; without globals it still is being.
type module struct {
	globals starlark.StringDict
	err     error
}

func newLoader(d *declare.Declarations, folder *source.Folder) *loader {
	return &loader{d: d, folder: folder, names: d.Predeclared(), modules: map[string]*module{}, files: code.New(folder.Display("."))}
}

// execute parses and executes a file in a thread.
func (l *loader) execute(th *starlark.Thread, name string, content []byte) (starlark.StringDict, error) {
	l.files.Read(name, content)
	p := code.Parse(l.folder.Display(name), content, l.names.Has)
	l.d.Damage(p.Mistakes)
	if p.Program == nil {
		return nil, errReported
	}
	l.files.Add(name, p.File)
	l.chain = append(l.chain, name)
	defer func() { l.chain = l.chain[:len(l.chain)-1] }()
	before := th.Load
	th.Load = l.require
	defer func() { th.Load = before }()
	globals, err := p.Program.Init(th, code.WithMissing(l.names, p.Missing))
	globals.Freeze()
	l.files.Executed(name, globals)
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
