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
	revision string
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
	if err := d.fill(ctx, s, x); err != nil {
		_ = os.RemoveAll(dir)
		return nil, err
	}
	if s.hash, err = hashTree(dir); err != nil {
		return nil, err
	}
	if s.revision == "" {
		s.revision = "sha256:" + s.hash
	}
	if d.sources == nil {
		d.sources = map[string]*staged{}
	}
	d.sources[key] = s
	return s, nil
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
	folder := x.Source
	if !filepath.IsAbs(folder) {
		folder = filepath.Join(d.Base, folder)
	}
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		return fmt.Errorf("source %q: no folder %s (a git repository elsewhere is named by its URL)", x.Source, folder)
	}
	r, inside := around(ctx, folder)
	if x.Revision != "" {
		if !inside {
			return fmt.Errorf("source %q: revision %q of a folder that is in no git repository", x.Source, x.Revision)
		}
		return s.fromCommit(ctx, r, x.Revision)
	}
	return s.fromFolder(ctx, folder, r, inside)
}

func (s *staged) fromCommit(ctx context.Context, r repository, revision string) error {
	commit, err := r.commit(ctx, revision)
	if err != nil {
		return err
	}
	s.revision = commit
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
	s.revision, s.dirty = commit, dirty
	if dirty {
		s.warnings = append(s.warnings, engine.Warning{Code: "dirty-source",
			Text: fmt.Sprintf("%s was deployed with changes that commit %.12s does not have", folder, commit)})
	}
	return nil
}
