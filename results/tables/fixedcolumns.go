package tables

import "mpf/results/columns"

func fixedColumn(name string, t columns.Type, r columns.Role, unit, description string) columns.Column {
	return columns.Column{Name: name, Type: t, Role: r, Unit: unit, Description: description}
}

// distinct marks a column in which nearly every row has a value of its own.
func distinct(c columns.Column) columns.Column {
	c.Distinct = true
	return c
}

// RunColumns lists the columns that every runs table begins with. After them
// come host_<role> for each role, the variables and the results.
func RunColumns() []columns.Column {
	return []columns.Column{
		distinct(fixedColumn("run_id", columns.String, columns.Identity, "", "content hash of the run: experiment, seed, replicate and the levels of its variables")),
		distinct(fixedColumn("replicate", columns.Int, columns.Identity, "", "which repetition of its treatment, from 1")),
		distinct(fixedColumn("block", columns.Int, columns.Identity, "", "runs of a block are kept together in the order, from 1")),
		distinct(fixedColumn("position", columns.Int, columns.Identity, "", "place in the order of the whole design, from 0")),
		fixedColumn("status", columns.String, columns.Outcome, "", "ok, failed, timeout, unreachable, interrupted or skipped"),
		fixedColumn("cause", columns.String, columns.Outcome, "", "why the run is not ok: exit, signal, script, result-type, output, artifact, build, step, command, link, lease, protocol, agent-died, rebooted, user, engine-died, suspended, storage or asked"),
		fixedColumn("message", columns.String, columns.Outcome, "", "what went wrong, in one line"),
		fixedColumn("failed_step", columns.String, columns.Outcome, "", "step that went wrong"),
		fixedColumn("failed_host", columns.String, columns.Outcome, "", "host on which it went wrong"),
		fixedColumn("failed_where", columns.String, columns.Outcome, "", "place in the script, innermost, as file:line:column"),
		fixedColumn("attempts", columns.Int, columns.Outcome, "", "attempts so far; the row shows the ok one, else the last"),
		fixedColumn("attempt", columns.Int, columns.Identity, "", "the attempt that the row shows; with run_id it joins the other tables"),
		fixedColumn("plan", columns.Int, columns.Identity, "", "number of the plan under which it ran, from 1"),
		fixedColumn("invocation", columns.Int, columns.Outcome, "", "which start of mpf executed it, from 1"),
		distinct(fixedColumn("sequence", columns.Int, columns.Outcome, "", "place in the order in which attempts ended, from 1")),
		distinct(fixedColumn("started", columns.Time, columns.Outcome, "", "when the attempt began, by the controller's clock")),
		distinct(fixedColumn("seconds", columns.Float, columns.Outcome, "s", "how long the attempt took, by a monotonic clock")),
		distinct(fixedColumn("gap", columns.Float, columns.Outcome, "s", "rest of the hosts since the end of the run before it")),
		fixedColumn("group", columns.String, columns.Outcome, "", "host group that executed it, empty where there are none"),
		fixedColumn("shared_host", columns.Bool, columns.Outcome, "", "another campaign was allowed to use a host of the run at the same time"),
		fixedColumn("deployed", columns.List, columns.Outcome, "", "what deployments put on hosts, as a JSON list of texts: role, source, and its commit or the hash of its content"),
		fixedColumn("orphaned", columns.Bool, columns.Outcome, "", "the latest plan's design does not hold the run any more"),
		fixedColumn("warnings", columns.List, columns.Outcome, "", "doubts about the row, as a JSON list of texts that begin with a code"),
	}
}
