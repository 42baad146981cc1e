package main

import (
	"encoding/json"
	"path"
	"time"

	"mpf/engine"
	"mpf/results/columns"
	"mpf/results/record"
)

type shownRun struct {
	RunID     string                     `json:"run_id"`
	Treatment map[string]string          `json:"treatment"`
	Replicate int                        `json:"replicate"`
	Attempt   int                        `json:"attempt"`
	Status    engine.Status              `json:"status"`
	Cause     engine.Cause               `json:"cause,omitempty"`
	Message   string                     `json:"message,omitempty"`
	Step      string                     `json:"failed_step,omitempty"`
	Host      string                     `json:"failed_host,omitempty"`
	Where     []string                   `json:"failed_where,omitempty"`
	Started   time.Time                  `json:"started"`
	Seconds   float64                    `json:"seconds"`
	Results   map[string]json.RawMessage `json:"results"`
	Steps     []shownStep                `json:"steps"`
	Warnings  []string                   `json:"warnings,omitempty"`
	Files     []shownFile                `json:"files"`
}

type shownStep struct {
	Step     string         `json:"step"`
	Host     string         `json:"host"`
	Role     string         `json:"role"`
	Status   engine.Status  `json:"status"`
	Seconds  float64        `json:"seconds"`
	Commands []shownCommand `json:"commands"`
}

type shownCommand struct {
	Argv    []string     `json:"argv"`
	Code    int          `json:"code"`
	Signal  string       `json:"signal,omitempty"`
	Seconds float64      `json:"seconds"`
	Usage   engine.Usage `json:"usage"`
}

type shownFile struct {
	Path   string `json:"path"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// runJSON prints what is known of an attempt whose files lie in folder.
func (p *program) runJSON(folder string, vars []engine.Variable, a *record.Attempt) error {
	d := a.Done
	out := shownRun{
		RunID: a.Start.Run.ID.String(), Treatment: map[string]string{}, Replicate: a.Start.Run.Replicate, Attempt: a.Start.Attempt,
		Status: d.Status, Cause: d.Cause, Message: d.Message, Step: d.Step, Host: d.Host,
		Started: a.Start.Wall.UTC(), Seconds: d.Seconds, Results: map[string]json.RawMessage{}, Steps: []shownStep{}, Files: []shownFile{},
	}
	for i, v := range vars {
		if a.Start.Run.Treatment[i] != engine.Absent {
			out.Treatment[v.Name] = a.Start.Run.Treatment.Label(vars, i)
		}
	}
	for _, r := range d.Results {
		out.Results[r.Name] = columns.AppendJSON(nil, r.Value)
	}
	for _, pos := range d.Trace {
		out.Where = append(out.Where, pos.String())
	}
	for _, w := range d.Warnings {
		out.Warnings = append(out.Warnings, w.Text)
	}
	for _, step := range d.Steps {
		out.Steps = append(out.Steps, shownStepOf(step))
	}
	for _, f := range a.Files {
		out.Files = append(out.Files, shownFile{path.Join(folder, f.Path), f.Size, f.SHA256})
	}
	encoder := json.NewEncoder(p.say.out)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(out)
}

func shownStepOf(step engine.StepRecord) shownStep {
	out := shownStep{Step: step.Step, Host: step.Host, Role: step.Role, Status: step.Status, Seconds: step.Seconds, Commands: []shownCommand{}}
	for _, c := range step.Commands {
		out.Commands = append(out.Commands, shownCommand{c.Argv, c.Code, c.Signal, c.Seconds, c.Usage})
	}
	return out
}
