package tables

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"mpf/results/fsys"
	"mpf/results/record"
)

// maxDeployed bounds what runs.parquet carries of deployed sources; what is
// beyond it lies in the campaign's directory only.
const maxDeployed = 8 << 20

// followDeployed reads what was deployed since it was asked last: descriptions,
// and archives from the newest on, as far as there is room for them.
func (p *Publisher) followDeployed() error {
	files, err := p.deployedFiles()
	if err != nil || len(files) == len(p.deployedNames) {
		return err
	}
	carried := map[string][]byte{}
	room := int64(maxDeployed)
	for _, name := range slices.Backward(files) {
		info, err := p.tree.Lstat(name)
		if err != nil {
			return err
		}
		if info.Size() > room && !strings.HasSuffix(name, ".json") {
			continue
		}
		room -= info.Size()
		if carried[path.Base(name)], err = fsys.ReadFile(p.tree, name, maxPlanFile); err != nil {
			return err
		}
	}
	p.deployedNames, p.deployed = files, asJSON(carried)
	return nil
}

// deployedFiles lists what the inputs of all plans hold, the oldest first: their
// names count up.
func (p *Publisher) deployedFiles() ([]string, error) {
	var files []string
	for _, plan := range p.plans {
		dir := record.DeployedDir(plan.Number)
		entries, err := p.tree.ReadDir(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		for _, e := range entries {
			files = append(files, path.Join(dir, e.Name()))
		}
	}
	return files, nil
}
