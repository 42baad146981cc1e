package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"mpf/cmd/mpf/argv"
	"mpf/engine"
	"mpf/results/campaign"
	"mpf/results/columns"
	"mpf/results/grid"
	"mpf/results/query"
	"mpf/results/record"
	"mpf/results/tables"
)

// findAttempt returns the last attempt of the run whose ID begins so.
func findAttempt(dir, prefix string) (*campaign.Campaign, *record.Attempt, error) {
	c, err := campaign.Read(dir)
	if err != nil {
		return nil, nil, err
	}
	found, err := lastAttempt(c, prefix)
	if err != nil {
		c.Close()
		return nil, nil, err
	}
	return c, found, nil
}

// lastAttempt finds the last attempt of the run whose id begins so.
func lastAttempt(c *campaign.Campaign, prefix string) (found *record.Attempt, err error) {
	for a, err := range c.Attempts() {
		switch {
		case err != nil:
			return nil, err
		case !strings.HasPrefix(a.Start.Run.ID.String(), prefix):
		case found != nil && found.Start.Run.ID != a.Start.Run.ID:
			return nil, &usageError{message: fmt.Sprintf("run %q: several runs begin so", prefix), todo: "give more digits"}
		default:
			found = a
		}
	}
	if found == nil {
		return nil, &usageError{message: fmt.Sprintf("no run %q in %s", prefix, c.Dir()), todo: "the ids are in: mpf show --columns run_id,status"}
	}
	return found, nil
}

// showOutput copies an output file of a run to stdout.
func (p *program) showOutput(dir, prefix, name string) error {
	c, a, err := findAttempt(dir, prefix)
	if err != nil {
		return err
	}
	defer c.Close()
	file, err := os.Open(filepath.Join(dir, c.AttemptDir(a.Start.Run.ID, a.Start.Attempt), name))
	if os.IsNotExist(err) {
		p.say.talk("run %s printed nothing on %s", a.Start.Run.ID, name)
		return nil
	}
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = io.Copy(p.say.out, file)
	return err
}

// showRun prints all that is known of a run's last attempt.
func (p *program) showRun(dir, prefix string, asJSON bool) error {
	c, a, err := findAttempt(dir, prefix)
	if err != nil {
		return err
	}
	defer c.Close()
	vars := c.Plans()[a.Plan-1].Experiment.Variables
	if asJSON {
		return p.runJSON(filepath.Join(dir, c.AttemptDir(a.Start.Run.ID, a.Start.Attempt)), vars, a)
	}
	d := a.Done
	p.say.print("run       %s\n", a.Start.Run.ID)
	p.say.print("treatment %s replicate=%d\n", a.Start.Run.Treatment.Format(vars), a.Start.Run.Replicate)
	p.say.print("status    %s\n", endWords(d))
	p.say.print("attempt   %d, started %s, %.3f s\n", a.Start.Attempt, a.Start.Wall.UTC().Format("2006-01-02 15:04:05 UTC"), d.Seconds)
	for _, r := range d.Results {
		p.say.print("result    %s = %s\n", r.Name, engine.FormatValue(r.Value))
	}
	for _, x := range d.Deployed {
		p.say.print("deployed  %s\n", deployedWords(x))
	}
	for _, step := range d.Steps {
		p.showStep(step)
	}
	for _, w := range d.Warnings {
		p.say.print("warning   %s\n", w.Text)
	}
	folder := filepath.Join(dir, c.AttemptDir(a.Start.Run.ID, a.Start.Attempt))
	for _, f := range a.Files {
		p.say.print("file      %s (%d bytes)\n", filepath.Join(folder, f.Path), f.Size)
	}
	return nil
}

// deployedWords says what lies where on the hosts of a role.
func deployedWords(x engine.Deployed) string {
	text := x.Role + ":"
	if x.Source != "" {
		text += " " + x.Source + " at " + x.Revision
	}
	if x.Dirty {
		text += " with changes"
	}
	if x.Dir == "" {
		return text + " packages"
	}
	return text + " in " + x.Dir
}

func endWords(d engine.Done) string {
	text := string(d.Status)
	if d.Cause != "" {
		text += " (" + string(d.Cause) + ")"
	}
	if d.Step != "" {
		text += fmt.Sprintf(" in step %q on %s", d.Step, d.Host)
	}
	if d.Message != "" {
		text += ": " + d.Message
	}
	for _, pos := range d.Trace {
		text += "\n          " + pos.String()
	}
	return text
}

func (p *program) showStep(step engine.StepRecord) {
	p.say.print("step      %s on %s (%s): %s, %.3f s\n", step.Step, step.Host, step.Role, step.Status, step.Seconds)
	for _, command := range step.Commands {
		how := fmt.Sprintf("exit %d", command.Code)
		if command.Signal != "" {
			how = command.Signal
		}
		if command.Background {
			how = "in the background, " + how
		}
		p.say.print("  command %s, %.3f s, %.3f s of CPU, %d KiB, stdout %d bytes, stderr %d bytes\n          %s\n", how, command.Seconds,
			command.Usage.UserSeconds+command.Usage.SystemSeconds, command.Usage.MaxRSS, command.Stdout.Size, command.Stderr.Size, quoteArgv(command.Argv))
	}
}

func quoteArgv(argv []string) string {
	words := make([]string, len(argv))
	for i, word := range argv {
		words[i] = word
		if word == "" || strings.ContainsAny(word, " \t\n\"'\\$`*?") {
			words[i] = fmt.Sprintf("%q", word)
		}
	}
	return strings.Join(words, " ")
}

// showFailures groups what did not end ok and shows the end of one log of each
// group.
func (p *program) showFailures(dir string, frame columns.Frame, asJSON bool) error {
	failures := query.Failures(frame)
	if asJSON {
		return query.WriteFailuresJSON(p.say.out, failures)
	}
	if len(failures) == 0 {
		p.say.talk("every row is ok")
		return nil
	}
	for i := range failures {
		if err := query.RenderFailures(p.say.out, failures[i:i+1]); err != nil {
			return err
		}
		p.showLogEnd(dir, failures[i].Runs[0])
	}
	return nil
}

// showLogEnd prints the last lines that a run printed on stderr, quoted.
func (p *program) showLogEnd(dir, id string) {
	const lines = 5
	if tableIn(dir, tables.RunsFile) == dir || isBareTable(dir) {
		return // a table without its campaign has no logs
	}
	c, a, err := findAttempt(dir, id)
	if err != nil {
		p.say.warn("the log of run %s cannot be found: %v", id[:8], err)
		return
	}
	defer c.Close()
	text, err := os.ReadFile(filepath.Join(dir, c.AttemptDir(a.Start.Run.ID, a.Start.Attempt), "stderr"))
	if errors.Is(err, fs.ErrNotExist) {
		return // it printed nothing there
	}
	if err != nil {
		p.say.warn("the log of run %s cannot be read: %v", id[:8], err)
		return
	}
	all := bytes.Split(bytes.TrimRight(text, "\n"), []byte("\n"))
	for _, line := range all[max(0, len(all)-lines):] {
		p.say.print("    stderr: %q\n", grid.Clip(string(line), 200))
	}
	p.say.print("    all of it: mpf show --stderr %s %s\n", id[:8], argv.Quote(dir))
}
