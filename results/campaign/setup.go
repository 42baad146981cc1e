package campaign

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"

	"mpf/results/durable"
	"mpf/results/fsys"
	"mpf/results/journal"
)

func (c *Campaign) setupName() string { return fmt.Sprintf("setup/%04d", c.journal.Invocation()) }

// SetupDir implements engine.Ledger: setup/<invocation>.
func (c *Campaign) SetupDir() (string, error) {
	if err := c.journal.Err(); err != nil {
		return "", c.fail(err)
	}
	if err := fsys.MakeDir(c.tree, c.setupName()); err != nil {
		return "", c.fail(err)
	}
	return filepath.Join(c.dir, filepath.FromSlash(c.setupName())), nil
}

// keepSetup records the files that setup steps left.
func (c *Campaign) keepSetup() error {
	files, err := durable.Folder(c.tree, c.setupName())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case len(files) == 0:
		return fsys.RemoveTree(c.tree, c.setupName())
	}
	for _, f := range files {
		f.Path = path.Join(c.setupName(), f.Path)
		if err := c.commit(&journal.Kept{File: f}); err != nil {
			return err
		}
	}
	return nil
}
