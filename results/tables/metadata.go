package tables

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"

	"mpf/engine"
	"mpf/results/columns"
	"mpf/results/fsys"
	"mpf/results/parquet"
	"mpf/results/record"
)

// Names of the tables' files.
const (
	RunsFile    = "runs.parquet"
	StepsFile   = "steps.parquet"
	UsageFile   = "usage.parquet"
	SamplesFile = "samples.parquet"
)

// Keys of the files' metadata.
const (
	keyTable     = "mpf.table"
	keyColumns   = "mpf.columns"
	keyCampaign  = "mpf.campaign"
	keyPlans     = "mpf.plans"
	keyScript    = "mpf.script"
	keySources   = "mpf.sources"
	keyCluster   = "mpf.cluster"
	keyManifest  = "mpf.manifest"
	keyDeployed  = "mpf.deployed"
	keySelection = "mpf.selection"
	keyPandas    = "pandas"
)

// maxPlanFile is more than any plan with its script takes.
const maxPlanFile = 64 << 20

func newBuffer(w io.Writer) *bufio.Writer { return bufio.NewWriterSize(w, 1<<18) }
func newReader(r io.Reader) *bufio.Reader { return bufio.NewReaderSize(r, 1<<18) }

// Campaign is what a table says of where it comes from.
type Campaign struct {
	Experiment string     `json:"experiment"`
	Doc        string     `json:"doc,omitempty"`
	Seed       int64      `json:"seed"`
	Replicates int        `json:"replicates"`
	Order      string     `json:"order"`
	Treatments uint64     `json:"treatments"`
	Runs       int64      `json:"runs"`
	MPF        string     `json:"mpf"`
	Sequence   int64      `json:"sequence"` // of the last attempt that the table covers
	Complete   bool       `json:"complete"`
	Plans      []PlanInfo `json:"plans"`
	Roles      []string   `json:"roles,omitempty"`
}

// PlanInfo names a plan that rows refer to.
type PlanInfo struct {
	Number     int      `json:"number"`
	Reason     string   `json:"reason"`
	MPF        string   `json:"mpf"`
	SHA256     string   `json:"sha256"`
	Replicates int      `json:"replicates"`
	Variables  []string `json:"variables"`
}

func (p *Publisher) metadata(table string, described []columns.Column, rows int64) []parquet.KeyValue {
	latest := p.plans[len(p.plans)-1].Experiment
	meta := []parquet.KeyValue{
		{Key: keyTable, Value: table},
		{Key: keyCampaign, Value: asJSON(p.campaign())},
		{Key: keyColumns, Value: asJSON(described)},
		{Key: keyPandas, Value: asJSON(pandas(described, table == RunsFile, rows))},
	}
	if table != RunsFile {
		return meta
	}
	meta = append(meta, parquet.KeyValue{Key: keyPlans, Value: asJSON(p.files)})
	if len(latest.Sources) > 0 {
		meta = append(meta,
			parquet.KeyValue{Key: keyScript, Value: latest.Sources[0].Content},
			parquet.KeyValue{Key: keySources, Value: asJSON(sourceFiles(latest.Sources))})
	}
	if cluster := p.plans[len(p.plans)-1].Cluster; cluster != "" {
		meta = append(meta, parquet.KeyValue{Key: keyCluster, Value: cluster})
	}
	if p.deployed != "" {
		meta = append(meta, parquet.KeyValue{Key: keyDeployed, Value: p.deployed})
	}
	if p.o.Manifest == nil {
		return meta
	}
	if manifest := p.o.Manifest(); manifest != "" {
		meta = append(meta, parquet.KeyValue{Key: keyManifest, Value: manifest})
	}
	return meta
}

func (p *Publisher) campaign() Campaign {
	latest := p.plans[len(p.plans)-1]
	e := latest.Experiment
	c := Campaign{
		Experiment: e.Name, Doc: e.Doc, Seed: e.Seed, Replicates: e.Replicates, Order: string(e.Order),
		Treatments: latest.Treatments, Runs: latest.Runs, MPF: p.o.MPF, Sequence: p.last, Complete: p.complete(),
	}
	for _, plan := range p.plans {
		info := PlanInfo{Number: plan.Number, Reason: plan.Reason, MPF: plan.MPF, SHA256: plan.SHA256, Replicates: plan.Experiment.Replicates}
		for _, v := range plan.Experiment.Variables {
			info.Variables = append(info.Variables, v.Name)
		}
		c.Plans = append(c.Plans, info)
	}
	for _, r := range e.Roles {
		c.Roles = append(c.Roles, r.Name)
	}
	return c
}

// complete reports whether every run of the latest plan has its row.
func (p *Publisher) complete() bool {
	return p.runs.settled >= p.plans[len(p.plans)-1].Runs
}

// planFiles returns the plan files as they are on disk, by name. A record that
// has none leaves them out.
func planFiles(tree fsys.FS, plans []record.Plan) (map[string]string, error) {
	files := map[string]string{}
	for _, plan := range plans {
		name := fmt.Sprintf("plan/%04d.json", plan.Number)
		data, err := fsys.ReadFile(tree, name, maxPlanFile)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		files[name] = string(data)
	}
	return files, nil
}

type sourceJSON struct {
	Path    string `json:"path"`
	SHA256  string `json:"sha256"`
	Content string `json:"content"`
}

func sourceFiles(sources []engine.Source) []sourceJSON {
	files := make([]sourceJSON, len(sources))
	for i, s := range sources {
		files[i] = sourceJSON{s.Path, s.SHA256, s.Content}
	}
	return files
}

func describe(ordered []*column) []columns.Column {
	described := make([]columns.Column, len(ordered))
	for i, c := range ordered {
		described[i] = c.Column
	}
	return slices.Clip(described)
}

// asJSON encodes what cannot fail to be encoded.
func asJSON(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return "null"
	}
	return string(data)
}
