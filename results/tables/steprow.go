package tables

import (
	"encoding/json"
	"math"
	"time"

	"mpf/engine"
	"mpf/results/columns"
	"mpf/results/parquet"
	"mpf/results/record"
	"mpf/results/usage"
)

// StepColumns lists the columns of steps.parquet: a row a step and host, of
// every attempt. Usage is that of all its commands with all their children; the
// metrics are those of its host while it lasted, null without samples.
func StepColumns() []columns.Column {
	count := func(name, description string) columns.Column {
		return fixedColumn(name, columns.Int, columns.Outcome, "", description)
	}
	list := []columns.Column{
		distinct(fixedColumn("run_id", columns.String, columns.Identity, "", "the run; joins the other tables")),
		fixedColumn("attempt", columns.Int, columns.Identity, "", "attempt of the run, from 1"),
		fixedColumn("role", columns.String, columns.Identity, "", "role that the host played"),
		fixedColumn("host", columns.String, columns.Identity, "", "host that executed the step"),
		fixedColumn("step", columns.String, columns.Identity, "", "name of the step"),
		fixedColumn("ordinal", columns.Int, columns.Identity, "", "place among the steps of the attempt, from 0"),
		fixedColumn("status", columns.String, columns.Outcome, "", "how the step ended"),
		fixedColumn("message", columns.String, columns.Outcome, "", "what went wrong, in one line"),
		distinct(fixedColumn("started", columns.Time, columns.Outcome, "", "when the step began, by the controller's clock")),
		distinct(fixedColumn("seconds", columns.Float, columns.Outcome, "s", "how long it took")),
		count("commands", "commands that it ran"),
		count("exit", "exit code of the first command that did not end with 0, else 0; -1 is a signal"),
		distinct(fixedColumn("user_seconds", columns.Float, columns.Outcome, "s", "CPU time in user mode")),
		distinct(fixedColumn("system_seconds", columns.Float, columns.Outcome, "s", "CPU time in the kernel")),
		fixedColumn("max_rss", columns.Int, columns.Outcome, "KiB", "largest resident set of one process, no less than the agent's own: the kernel counts from the fork"),
		count("shared_text", "integral of shared text size (0 on Linux)"),
		count("unshared_data", "integral of unshared data size (0 on Linux)"),
		count("unshared_stack", "integral of unshared stack size (0 on Linux)"),
		count("minor_faults", "page faults without I/O"),
		count("major_faults", "page faults with I/O"),
		count("swaps", "swaps (0 on Linux)"),
		count("blocks_in", "file system reads, in blocks of 512 bytes"),
		count("blocks_out", "file system writes, in blocks of 512 bytes"),
		count("messages_sent", "IPC messages sent (0 on Linux)"),
		count("messages_received", "IPC messages received (0 on Linux)"),
		count("signals", "signals received (0 on Linux)"),
		count("voluntary_switches", "context switches while waiting"),
		count("involuntary_switches", "context switches by the scheduler"),
		fixedColumn("command_list", columns.String, columns.Outcome, "", "the commands as JSON: argv, code, signal, timed_out, background, started (seconds after the step), seconds, stdout and stderr (bytes)"),
		fixedColumn("spans", columns.String, columns.Outcome, "", "named stretches of time as JSON: name, started (seconds after the step), seconds, attributes"),
	}
	for _, d := range usage.Descriptions() {
		list = append(list, distinct(fixedColumn(d.Name, columns.Float, columns.Outcome, d.Unit, d.Text)))
	}
	return append(list,
		fixedColumn("perf", columns.String, columns.Outcome, "", "what perf counted in the window, on all CPUs, as JSON: a number for each event, clocks in ms"),
		fixedColumn("n_samples", columns.Int, columns.Outcome, "", "samples that lie in the step, wholly or in part"),
		distinct(fixedColumn("window_s", columns.Float, columns.Outcome, "s", "time of the step that they cover")),
	)
}

// A stepTable is the store of steps.parquet.
type stepTable struct{ *store }

func newStepTable(e *parquet.Encoder) *stepTable {
	t := &stepTable{newStore(e, rowsOfShard/4, false)}
	for _, c := range StepColumns() {
		t.add(c, fixed, true)
	}
	return t
}

func (t *stepTable) put(id string, a *record.Attempt, hosts []*measured) error {
	windows := byStep(a, hosts)
	for i := range a.Done.Steps {
		s := &a.Done.Steps[i]
		_, row := t.row(place{a.Plan, a.Start.Run.Position, a.Start.Attempt, i})
		row.text(id)
		row.int(int64(a.Start.Attempt))
		row.text(s.Role)
		row.text(s.Host)
		row.text(s.Step)
		row.int(int64(i))
		row.text(string(s.Status))
		row.text(s.Message)
		row.time(s.Start)
		row.float(s.Seconds)
		row.int(int64(len(s.Commands)))
		row.int(int64(firstExit(s.Commands)))
		row.usage(total(s.Commands))
		row.text(commandList(s))
		row.text(spanList(s))
		row.window(windows.of(i))
		if err := t.end(); err != nil {
			return err
		}
	}
	return nil
}

func (w *rowWriter) usage(u engine.Usage) {
	w.float(u.UserSeconds)
	w.float(u.SystemSeconds)
	for _, n := range []int64{
		u.MaxRSS, u.SharedText, u.UnsharedData, u.UnsharedStack, u.MinorFaults, u.MajorFaults, u.Swaps, u.BlocksIn, u.BlocksOut,
		u.MessagesSent, u.MessagesReceived, u.Signals, u.VoluntarySwitches, u.InvoluntarySwitches,
	} {
		w.int(n)
	}
}

func firstExit(commands []engine.CommandRecord) int {
	for _, c := range commands {
		if c.Code != 0 {
			return c.Code
		}
	}
	return 0
}

// total adds up what commands used; the resident set is the largest.
func total(commands []engine.CommandRecord) engine.Usage {
	var sum engine.Usage
	for _, c := range commands {
		u := c.Usage
		sum.UserSeconds += u.UserSeconds
		sum.SystemSeconds += u.SystemSeconds
		sum.MaxRSS = max(sum.MaxRSS, u.MaxRSS)
		sum.SharedText += u.SharedText
		sum.UnsharedData += u.UnsharedData
		sum.UnsharedStack += u.UnsharedStack
		sum.MinorFaults += u.MinorFaults
		sum.MajorFaults += u.MajorFaults
		sum.Swaps += u.Swaps
		sum.BlocksIn += u.BlocksIn
		sum.BlocksOut += u.BlocksOut
		sum.MessagesSent += u.MessagesSent
		sum.MessagesReceived += u.MessagesReceived
		sum.Signals += u.Signals
		sum.VoluntarySwitches += u.VoluntarySwitches
		sum.InvoluntarySwitches += u.InvoluntarySwitches
	}
	return sum
}

type commandJSON struct {
	Argv       []string `json:"argv"`
	Code       int      `json:"code"`
	Signal     string   `json:"signal,omitempty"`
	TimedOut   bool     `json:"timed_out,omitempty"`
	Background bool     `json:"background,omitempty"`
	Started    float64  `json:"started"`
	Seconds    float64  `json:"seconds"`
	Stdout     int64    `json:"stdout"`
	Stderr     int64    `json:"stderr"`
}

func commandList(s *engine.StepRecord) string {
	if len(s.Commands) == 0 {
		return ""
	}
	list := make([]commandJSON, len(s.Commands))
	for i, c := range s.Commands {
		list[i] = commandJSON{
			c.Argv, c.Code, c.Signal, c.TimedOut, c.Background,
			after(c.Start, s.Start), finite(c.Seconds), c.Stdout.Size, c.Stderr.Size,
		}
	}
	return asJSON(list)
}

type spanJSON struct {
	Name       string                     `json:"name"`
	Started    float64                    `json:"started"`
	Seconds    float64                    `json:"seconds"`
	Attributes map[string]json.RawMessage `json:"attributes,omitempty"`
}

func spanList(s *engine.StepRecord) string {
	if len(s.Spans) == 0 {
		return ""
	}
	list := make([]spanJSON, len(s.Spans))
	for i, span := range s.Spans {
		list[i] = spanJSON{Name: span.Name, Started: after(span.Start, s.Start), Seconds: finite(span.Seconds)}
		for name, value := range span.Attributes {
			if list[i].Attributes == nil {
				list[i].Attributes = map[string]json.RawMessage{}
			}
			list[i].Attributes[name] = columns.AppendJSON(nil, value)
		}
	}
	return asJSON(list)
}

func after(t, start time.Time) float64 {
	if t.IsZero() || start.IsZero() {
		return 0
	}
	return t.Sub(start).Seconds()
}

func finite(f float64) float64 {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return 0
	}
	return f
}
