package deploy

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"mpf/engine"
)

// A staged source is a folder that holds it as hosts will have it.
type staged struct {
	dir      string
	hash     string
	commit   string // or empty: a folder that is in no repository
	dirty    bool
	warnings []engine.Warning
}

// stage makes the folder of a deployment's source, or returns the one that was
// made for this campaign before.
func (d *Deployer) stage(ctx context.Context, x engine.Deployment) (*staged, error) {
	d.staging.Lock()
	defer d.staging.Unlock()
	key := x.Source + "\x00" + x.Revision
	if s := d.sources[key]; s != nil {
		return s, nil
	}
	dir, err := os.MkdirTemp(d.Temporary, "mpf-deploy-")
	if err != nil {
		return nil, err
	}
	s := &staged{dir: dir}
	fill := d.fill
	if c := d.carried(x); c != nil && c.isHeld() {
		fill = func(ctx context.Context, s *staged, _ engine.Deployment) error { return s.fromCarried(ctx, d.Cache, c) }
	} else if _, err := os.Stat(d.folder(x)); c != nil && err != nil {
		fill = func(context.Context, *staged, engine.Deployment) error { return &NotCarriedError{x.Source} }
	}
	if err := fill(ctx, s, x); err != nil {
		_ = os.RemoveAll(dir)
		return nil, err
	}
	if s.hash, err = hashTree(dir); err != nil {
		return nil, err
	}
	if c := d.carried(x); c != nil && c.SHA256 != s.hash {
		return nil, fmt.Errorf("source %q: sha256 %.12s, where %.12s was measured: it is not what was kept", x.Source, s.hash, c.SHA256)
	}
	if d.sources == nil {
		d.sources = map[string]*staged{}
	}
	d.sources[key] = s
	return s, nil
}

// carried is what a record holds of a source, or nil.
func (d *Deployer) carried(x engine.Deployment) *Carried {
	for i := len(d.Carried) - 1; i >= 0; i-- {
		if c := &d.Carried[i]; c.is(x) {
			return c
		}
	}
	return nil
}

// revision is the exact commit, or the hash of the content.
func (s *staged) revision() string {
	if s.commit != "" {
		return s.commit
	}
	return "sha256:" + s.hash
}

func (d *Deployer) fill(ctx context.Context, s *staged, x engine.Deployment) error {
	switch {
	case x.Source == "":
		return nil
	case isURL(x.Source):
		r, err := fetched(ctx, d.Cache, x.Source, x.Revision)
		if err != nil {
			return fmt.Errorf("%s: %w", x.Source, err)
		}
		return s.fromCommit(ctx, r, x.Revision)
	}
	folder := d.folder(x)
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		return &wrongSource{fmt.Sprintf("source %q: no folder %s", x.Source, folder), "a git repository elsewhere is named by its URL"}
	}
	r, inside := around(ctx, folder)
	if x.Revision != "" {
		if !inside {
			return &wrongSource{fmt.Sprintf("source %q: revision %q of a folder that is in no git repository", x.Source, x.Revision), "leave revision out"}
		}
		return s.fromCommit(ctx, r, x.Revision)
	}
	return s.fromFolder(ctx, folder, r, inside)
}

// folder is where a source lies that is no URL.
func (d *Deployer) folder(x engine.Deployment) string {
	if filepath.IsAbs(x.Source) {
		return x.Source
	}
	return filepath.Join(d.Base, x.Source)
}

func (s *staged) fromCommit(ctx context.Context, r repository, revision string) error {
	commit, err := r.commit(ctx, revision)
	if err != nil {
		return err
	}
	s.commit = commit
	if err := r.checkout(ctx, commit, s.dir); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(s.dir, ".gitmodules")); err == nil {
		s.warnings = append(s.warnings, engine.Warning{Code: "submodules", Text: fmt.Sprintf("%s at %.12s names submodules: they are not deployed", r, commit)})
	}
	return nil
}

// fromFolder takes a folder as it stands, and says which commit that is or is
// not.
func (s *staged) fromFolder(ctx context.Context, folder string, r repository, inside bool) error {
	names, err := list(folder)
	if err != nil {
		return err
	}
	if err := copyTree(folder, s.dir, names); err != nil {
		return err
	}
	if !inside {
		return nil
	}
	commit, dirty, err := r.state(ctx)
	if err != nil {
		return ctx.Err() // a repository without a commit is a folder like any other
	}
	s.commit, s.dirty = commit, dirty
	if dirty {
		s.warnings = append(s.warnings, engine.Warning{Code: "dirty-source",
			Text: fmt.Sprintf("%s was deployed with changes that commit %.12s does not have", folder, commit)})
	}
	return nil
}
