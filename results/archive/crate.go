package archive

import (
	"bytes"
	"encoding/json"
	"path"
	"strings"
	"time"
)

// A Description says what an archive holds, for those who find it.
type Description struct {
	Experiment string
	Text       string    // the experiment's own words, or empty
	Date       time.Time // when the campaign ended
	MPF        string    // version
	License    string    // a URL, or empty
	Authors    []string
}

// folder is the one folder in which the files lie.
func (d Description) folder() string {
	name := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_', r == '.':
			return r
		}
		return '-'
	}, d.Experiment)
	if strings.Trim(name, ".") == "" {
		return "campaign"
	}
	return name
}

// entity is a node of the description's graph.
type entity map[string]any

func ref(id string) entity { return entity{"@id": id} }

// crate is the RO-Crate description, version 1.1. What lies below runs is one
// part: there may be millions of files.
func (d Description) crate(entries []Entry) ([]byte, error) {
	var parts []entity
	var files []entity
	runs := false
	for _, e := range entries {
		if top, _, _ := strings.Cut(e.Name, "/"); top == "runs" {
			runs = true
			continue
		}
		parts = append(parts, ref(e.Name))
		files = append(files, entity{
			"@id": e.Name, "@type": "File", "name": path.Base(e.Name), "contentSize": e.Size, "sha256": e.SHA256,
			"encodingFormat": encodingOf(e.Name), "description": purposeOf(e.Name),
		})
	}
	if runs {
		parts = append(parts, ref("runs/"))
		files = append(files, entity{"@id": "runs/", "@type": "Dataset", "name": "runs", "description": "what each attempt of each run left behind: output, samples, files; hashed in SHA256SUMS"})
	}
	graph := append([]entity{
		{"@id": crateName, "@type": "CreativeWork", "conformsTo": ref("https://w3id.org/ro/crate/1.1"), "about": ref("./")},
		d.root(parts),
		{"@id": "#mpf", "@type": "SoftwareApplication", "name": "mpf", "softwareVersion": d.MPF},
		{"@id": "#campaign", "@type": "CreateAction", "name": "campaign of " + d.Experiment, "instrument": ref("#mpf"), "result": ref("./")},
	}, files...)
	for _, name := range d.Authors {
		graph = append(graph, entity{"@id": "#" + name, "@type": "Person", "name": name})
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err := encoder.Encode(entity{"@context": "https://w3id.org/ro/crate/1.1/context", "@graph": graph})
	return out.Bytes(), err
}

func (d Description) root(parts []entity) entity {
	root := entity{
		"@id": "./", "@type": "Dataset", "name": "Campaign of experiment " + d.Experiment, "description": d.Text,
		"datePublished": d.Date.UTC().Format(time.DateOnly), "hasPart": parts,
	}
	if d.Text == "" {
		root["description"] = "Results of experiment " + d.Experiment + ", measured by mpf"
	}
	if d.License != "" {
		root["license"] = ref(d.License)
	}
	var authors []entity
	for _, name := range d.Authors {
		authors = append(authors, ref("#"+name))
	}
	if len(authors) > 0 {
		root["author"] = authors
	}
	return root
}

func encodingOf(name string) string {
	switch path.Ext(name) {
	case ".parquet":
		return "application/vnd.apache.parquet"
	case ".json":
		return "application/json"
	case ".jsonl":
		return "application/jsonl"
	case ".arrows":
		return "application/vnd.apache.arrow.stream"
	case ".yaml", ".yml":
		return "application/yaml"
	case ".star":
		return "text/x-starlark"
	}
	return "application/octet-stream"
}

func purposeOf(name string) string {
	switch name {
	case "runs.parquet":
		return "a row a run: variables, results, status; holds the script and the plan as well"
	case "steps.parquet":
		return "a row a step and host"
	case "usage.parquet":
		return "a row a run and host: performance metrics"
	case "samples.parquet":
		return "the time series of the hosts"
	case "trace.json":
		return "the campaign as a trace in Chrome's format"
	case "manifest.json":
		return "versions, seed and checksums"
	}
	switch top, _, _ := strings.Cut(name, "/"); top {
	case "journal":
		return "the record from which the tables are derived"
	case "plan":
		return "the design, frozen"
	case "inputs":
		return "the script and what it was run with"
	}
	return "a file of the campaign"
}
