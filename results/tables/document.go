package tables

import (
	"fmt"
	"io"
	"strings"

	"mpf/results/columns"
)

// A Section documents one table.
type Section struct {
	File    string
	Text    string
	Columns []columns.Column
	After   string // what follows the columns, or empty
}

// Document documents every column of every table.
func Document() []Section {
	return []Section{
		{
			RunsFile, "a row for each run, in the order of the design: its ok attempt, else its last", RunColumns(),
			"then host_<role> for each role: the hosts that played it, joined by commas;\n" +
				"then the variables as they were declared: null where a variable's condition does not hold; labels if a level\n" +
				"has one of its own, is none or a list, or if types differ: the values are in the file's metadata;\n" +
				"then the declared results, then the others by first appearance in the design. Ints and floats in one column\n" +
				"are floats if that loses nothing; other mixes are text, marked as mixed. Lists are JSON text.",
		},
		{
			StepsFile, "a row for each step and host of every attempt; the metrics are the host's while the step lasted, cut from samples", StepColumns(),
			"What was moved in a sample that lies partly in a step is shared out by time; its other values hold for all of it.\n" +
				"So a step shorter than the period has values of what was beside it, too: sample more often for short ones.\n" +
				"perf tells what it counted ten times a second, or as often as the host is sampled if that is more often.",
		},
		{
			UsageFile, "a row for each host of every attempt; null where nothing was sampled; \"mb\" in a name is MiB", UsageColumns(),
			"A sample is the time between two readings; all are counted, by their length. The last one counts with the one before where it is\n" +
				"shorter than half a period. Values are the machine's, as /proc shows it. Disks are whole ones without dm, md, loop, ram and zram;\n" +
				"external interfaces are physical ones, or all but loopback where none is. Totals are what was moved in the run, hours those of the\n" +
				"host in it: lightgbm-benchmark, which has the same names, gives totals since boot, and hours of the machine that reports.\n" +
				"The kernel counts CPU time in ticks of 10 ms: at periods of a few ticks CPUs look idle or fully busy, which shares of the time and\n" +
				"maxima show and means hardly.",
		},
		{SamplesFile, "a row for each reading of a host, counters as they are since boot; made when mpf ends", SampleColumns(), extraText()},
	}
}

func extraText() string {
	var b strings.Builder
	b.WriteString("then a column for each optional reading that sampling(...) asks for, of what stands in place of the *:\n\n")
	writeColumns(&b, columns.ExtraColumns())
	return strings.TrimSuffix(b.String(), "\n")
}

// writeColumns prints a line a column.
func writeColumns(w io.Writer, list []columns.Column) {
	for _, c := range list {
		unit := ""
		if c.Unit != "" {
			unit = " [" + c.Unit + "]"
		}
		fmt.Fprintf(w, "  %-31s %-7s %s%s\n", c.Name, c.Type, c.Description, unit)
	}
}

// WriteDocument prints the document for people.
func WriteDocument(w io.Writer) error {
	for i, s := range Document() {
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "%s: %s\n\n", s.File, s.Text)
		writeColumns(w, s.Columns)
		if s.After != "" {
			fmt.Fprintf(w, "\n%s\n", s.After)
		}
	}
	_, err := fmt.Fprintf(w, "\nRows join by run_id and attempt, and by host. Each file describes its columns in its metadata, key %q;\n"+
		"%s also carries the plan, the script and the cluster file. Times are UTC in microseconds.\n"+
		"The files are replaced whole while mpf runs. DuckDB opens a file twice in a query: if one meets a replacement, give it again.\n", keyColumns, RunsFile)
	return err
}
