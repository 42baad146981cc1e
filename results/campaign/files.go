package campaign

import (
	"errors"
	"io/fs"
	"path"
	"strings"

	"mpf/results/durable"
	"mpf/results/fsys"
	"mpf/results/record"
)

// keep makes the files of an attempt durable in their final place and returns
// them, sorted. An attempt without files has no folder.
func (a *attempt) keep(rows map[string]int64) ([]record.File, error) {
	if !a.made && !a.abandoned {
		return nil, nil
	}
	tree := a.campaign.tree
	if a.abandoned {
		if err := a.endSegments(); err != nil {
			return nil, err
		}
	}
	files, err := durable.Folder(tree, a.temp())
	if a.abandoned && errors.Is(err, fs.ErrNotExist) {
		return a.keptBefore()
	}
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fsys.RemoveTree(tree, a.temp())
	}
	if err := a.makeWay(); err != nil {
		return nil, err
	}
	if err := tree.Rename(a.temp(), a.final()); err != nil {
		return nil, err
	}
	for i, f := range files {
		files[i].Rows = rows[f.Path]
	}
	return files, a.syncPlace()
}

// endSegments gives the sample segments of an abandoned attempt names that say
// that they have no end.
func (a *attempt) endSegments() error {
	tree := a.campaign.tree
	entries, err := tree.ReadDir(a.temp())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !record.IsSegment(e.Name()) || strings.HasSuffix(e.Name(), record.Partial) {
			continue
		}
		name := path.Join(a.temp(), e.Name())
		if err := tree.Rename(name, name+record.Partial); err != nil {
			return err
		}
	}
	return nil
}

// supersededMark is in the name of a folder that had to make way.
const supersededMark = ".superseded-"

// makeWay makes the parent of the final folder. What lies in the place of the
// folder itself belongs to an attempt whose record was lost: it is set aside.
func (a *attempt) makeWay() error {
	tree := a.campaign.tree
	err := tree.Mkdir(path.Dir(a.final()))
	if err == nil || !errors.Is(err, fs.ErrExist) {
		return err
	}
	if _, err := tree.Lstat(a.final()); errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	return tree.Rename(a.final(), a.final()+supersededMark+a.start.Nonce)
}

// syncPlace makes the names that lead to the final folder durable.
func (a *attempt) syncPlace() error {
	parent := path.Dir(a.final())
	if err := a.campaign.tree.SyncDir(parent); err != nil {
		return err
	}
	return a.campaign.tree.SyncDir(path.Dir(parent))
}

// keptBefore lists the files of an attempt whose engine died after they got
// their final place.
func (a *attempt) keptBefore() ([]record.File, error) {
	files, err := durable.Folder(a.campaign.tree, a.final())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return files, errors.Join(err, a.syncPlace())
}
