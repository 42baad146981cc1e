package query

import (
	"encoding/json"
	"io"
	"math"

	"mpf/results/columns"
)

type summaryJSON struct {
	Confidence float64     `json:"confidence"`
	Groups     []groupJSON `json:"groups"`
	Notes      []noteJSON  `json:"warnings,omitempty"`
}

type groupJSON struct {
	Treatment map[string]json.RawMessage `json:"treatment"`
	Runs      int                        `json:"runs"`
	OK        int                        `json:"ok"`
	Results   map[string]map[string]any  `json:"results"`
}

type noteJSON struct {
	Code string `json:"code"`
	Text string `json:"text"`
}

// WriteJSON prints a summary for programs: numbers in plain units, an interval
// as [low, high], null where there is none.
func (s Summary) WriteJSON(w io.Writer) error {
	out := summaryJSON{Confidence: s.confidence, Groups: []groupJSON{}}
	for _, g := range s.Groups {
		j := groupJSON{Treatment: map[string]json.RawMessage{}, Runs: g.Runs, OK: g.OK, Results: map[string]map[string]any{}}
		for i, c := range s.By {
			j.Treatment[c.ScriptName()] = columns.AppendJSON(nil, g.Key[i])
		}
		for i, c := range s.Results {
			j.Results[c.ScriptName()] = s.cellJSON(g.Cells[i], c.Unit)
		}
		out.Groups = append(out.Groups, j)
	}
	for _, warning := range s.Warnings {
		out.Notes = append(out.Notes, noteJSON{warning.Code, warning.Text})
	}
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(out)
}

func (s Summary) cellJSON(c Cell, unit string) map[string]any {
	j := map[string]any{"n": c.N}
	if unit != "" {
		j["unit"] = unit
	}
	for i, name := range s.Stats {
		switch x := c.Values[i]; {
		case name == "n":
		case name == "ci" && c.CI != nil:
			j[name] = []float64{c.CI.Low, c.CI.High}
		case name == "ci" || math.IsNaN(x) || math.IsInf(x, 0):
			j[name] = nil
		default:
			j[name] = x
		}
	}
	return j
}
