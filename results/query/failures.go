package query

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"

	"mpf/engine"
	"mpf/results/columns"
)

// A Failure is the runs that went wrong in the same way.
type Failure struct {
	Status  string   `json:"status"`
	Cause   string   `json:"cause,omitempty"`
	Step    string   `json:"step,omitempty"`
	Message string   `json:"message,omitempty"` // of the first
	Where   string   `json:"where,omitempty"`
	Hosts   []string `json:"hosts,omitempty"`
	Runs    []string `json:"runs"` // run ids
}

// Numberless is a message with a sign for each number and each identifier, which
// are what tells equal messages apart.
func Numberless(message string) string { return numbers.ReplaceAllString(message, "#") }

var numbers = regexp.MustCompile(`\b[0-9a-f]{8,}\b|[0-9]+`)

// Failures groups the rows that are not ok by cause, the most frequent first.
// Messages that differ in numbers only are one.
func Failures(f columns.Frame) []Failure {
	places := map[string]int{}
	text := func(row int, name string) string {
		i, ok := places[name]
		if !ok {
			i = f.Find(name)
			places[name] = i
		}
		if i < 0 {
			return ""
		}
		return Text(f.Vectors[i].At(row))
	}
	index := map[string]int{}
	var list []Failure
	for row := range f.Len() {
		status := text(row, "status")
		if status == string(engine.OK) {
			continue
		}
		next := Failure{
			Status: status, Cause: text(row, "cause"), Step: text(row, "failed_step"),
			Message: text(row, "message"), Where: text(row, "failed_where"),
		}
		key := fmt.Sprintf("%q", []string{next.Status, next.Cause, next.Step, Numberless(next.Message)})
		i, ok := index[key]
		if !ok {
			i = len(list)
			index[key] = i
			list = append(list, next)
		}
		list[i].Runs = append(list[i].Runs, text(row, "run_id"))
		if host := text(row, "failed_host"); host != "" && !slices.Contains(list[i].Hosts, host) {
			list[i].Hosts = append(list[i].Hosts, host)
		}
	}
	slices.SortStableFunc(list, func(a, b Failure) int { return cmp.Compare(len(b.Runs), len(a.Runs)) })
	return list
}

// RenderFailures prints failures as paragraphs.
func RenderFailures(w io.Writer, list []Failure) error {
	for _, f := range list {
		line := fmt.Sprintf("%s %s", count(len(f.Runs), "run"), f.Status)
		if f.Cause != "" {
			line += " (" + f.Cause + ")"
		}
		if f.Step != "" {
			line += fmt.Sprintf(" in step %q", f.Step)
		}
		for i, host := range f.Hosts {
			if i == 0 {
				line += " on"
			}
			line += " " + host
		}
		if f.Message != "" {
			line += "\n    " + f.Message
		}
		if f.Where != "" {
			line += "\n    " + f.Where
		}
		line += "\n    first: " + f.Runs[0]
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	return nil
}

// WriteFailuresJSON prints failures for programs.
func WriteFailuresJSON(w io.Writer, list []Failure) error {
	if list == nil {
		list = []Failure{}
	}
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(list)
}
