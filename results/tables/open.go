package tables

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"mpf/engine"
	"mpf/results/columns"
	"mpf/results/parquet"
)

// A File is a published table that is read. It needs no directory around it.
type File struct {
	Name     string // of the table: "runs.parquet", whatever the file is called
	Campaign Campaign
	Columns  []columns.Column
	Selected *Selection // or nil: it is the whole table

	path   string
	closer *os.File
	file   *parquet.File
}

// Open opens a table that mpf published.
func Open(path string) (*File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	t, err := open(f)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), f.Close())
	}
	t.path = path
	return t, nil
}

func open(f *os.File) (*File, error) {
	p, err := parquet.NewFile(f)
	if err != nil {
		return nil, err
	}
	t := &File{closer: f, file: p}
	name, ok := p.Metadata(keyTable)
	if !ok {
		return nil, errors.New("no table of mpf: its metadata has no " + keyTable)
	}
	t.Name = name
	if err := t.decode(keyCampaign, &t.Campaign); err != nil {
		return nil, err
	}
	if err := t.decode(keyColumns, &t.Columns); err != nil {
		return nil, err
	}
	if len(t.Columns) != len(p.Fields()) {
		return nil, fmt.Errorf("its metadata describes %d columns of %d", len(t.Columns), len(p.Fields()))
	}
	return t, t.selected()
}

func (t *File) decode(key string, into any) error {
	text, ok := t.file.Metadata(key)
	if !ok {
		return fmt.Errorf("its metadata has no %s", key)
	}
	if err := json.Unmarshal([]byte(text), into); err != nil {
		return fmt.Errorf("metadata %s: %w", key, err)
	}
	return nil
}

// Close closes the file.
func (t *File) Close() error { return t.closer.Close() }

// Rows returns the number of rows.
func (t *File) Rows() int64 { return t.file.Rows() }

// Load reads the whole table.
func (t *File) Load() (columns.Frame, error) {
	return t.LoadOnly(func(int) bool { return true })
}

// LoadOnly reads the columns that are wanted, told by their index; the others
// hold nulls.
func (t *File) LoadOnly(wanted func(int) bool) (columns.Frame, error) {
	frame := columns.Frame{Columns: t.Columns, Vectors: make([]*columns.Vector, len(t.Columns))}
	for i := range frame.Vectors {
		frame.Vectors[i] = &columns.Vector{}
		frame.Vectors[i].Grow(int(t.Rows()))
	}
	for group := range t.file.Groups() {
		for i := range t.Columns {
			if !wanted(i) {
				frame.Vectors[i].Pad(frame.Vectors[i].Len() + t.file.GroupRows(group))
				continue
			}
			v, err := t.column(group, i)
			if err != nil {
				return frame, fmt.Errorf("%s: %w", t.path, err)
			}
			frame.Vectors[i].Extend(v)
		}
	}
	return frame, nil
}

func (t *File) column(group, i int) (*columns.Vector, error) {
	v, err := t.file.Read(group, i)
	if err == nil && t.Columns[i].Type == columns.List {
		v.AsLists()
	}
	return v, err
}

// Inputs is what runs.parquet holds of how its campaign came about.
type Inputs struct {
	Plans    map[string]string // plan files, by name in the campaign's directory
	Sources  []engine.Source   // the script first
	Cluster  string
	Manifest string
	Deployed map[string][]byte // files of what was deployed, by name within record.DeployedDir
}

// Inputs returns the inputs that the table carries. Only runs.parquet does.
func (t *File) Inputs() (Inputs, error) {
	in := Inputs{}
	if t.Name != RunsFile || t.Selected != nil {
		return in, &NoInputsError{Path: t.path, Name: t.Name, Part: t.Selected != nil}
	}
	if err := t.decode(keyPlans, &in.Plans); err != nil {
		return in, err
	}
	var sources []sourceJSON
	if _, ok := t.file.Metadata(keySources); ok {
		if err := t.decode(keySources, &sources); err != nil {
			return in, err
		}
	}
	for _, s := range sources {
		in.Sources = append(in.Sources, engine.Source{Path: s.Path, SHA256: s.SHA256, Content: s.Content})
	}
	if _, ok := t.file.Metadata(keyDeployed); ok {
		if err := t.decode(keyDeployed, &in.Deployed); err != nil {
			return in, err
		}
	}
	in.Cluster, _ = t.file.Metadata(keyCluster)
	in.Manifest, _ = t.file.Metadata(keyManifest)
	return in, nil
}
