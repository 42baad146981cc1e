package execute

import (
	"fmt"
	"slices"
	"strings"

	"mpf/engine"
)

// MissingResult is the code of the warning that a row lacks declared results.
const MissingResult = "result-missing"

// declared compares what the steps of a run returned with what the experiment
// declares. A run whose steps measured nothing of it has failed; of one that lacks
// a part, or in which no step had a part to play, the row says so. A None is an
// answer.
func (a *attempt) declared(results engine.Results) error {
	columns := a.loop.Experiment.Results
	var missing []string
	for _, c := range columns {
		if !slices.ContainsFunc(results, func(r engine.NamedValue) bool { return r.Name == c.Name }) {
			missing = append(missing, fmt.Sprintf("%q", c.Name))
		}
	}
	switch {
	case len(missing) == 0:
		return nil
	case len(missing) == len(columns) && a.notes.stepped():
		return &engine.Failure{
			Status: engine.Failed, Cause: engine.CauseResultType, Trace: []engine.Pos{columns[0].Pos},
			Message: fmt.Sprintf("no step returned %s, declared as %s (return {%s: value}, with None for a value that there is not)",
				strings.Join(missing, ", "), plural(len(missing), "result"), missing[0]),
		}
	}
	a.notes.warn(engine.Warning{Code: MissingResult, Text: fmt.Sprintf(
		"no step returned %s, declared as %s (return None for a value that there is not)", strings.Join(missing, ", "), plural(len(missing), "result"))})
	return nil
}

func plural(n int, noun string) string {
	if n == 1 {
		return "a " + noun
	}
	return noun + "s"
}
