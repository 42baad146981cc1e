package planned

import (
	"encoding/json"
	"io"
	"math/big"

	"mpf/cmd/mpf/standing"
	"mpf/engine"
	"mpf/engine/design"
)

type plannedJSON struct {
	Experiment string            `json:"experiment"`
	Seed       int64             `json:"seed"`
	Treatments uint64            `json:"treatments"`
	Space      *big.Int          `json:"space"` // treatments that the rules leave, of which a sample is a part
	Replicates int               `json:"replicates"`
	Blocks     int               `json:"blocks"`
	Runs       int64             `json:"runs"`
	Order      engine.Order      `json:"order"`
	Variables  []plannedVariable `json:"variables"`
	Sample     *plannedSample    `json:"sample,omitempty"`
	Results    []string          `json:"results"`
	Roles      []string          `json:"roles"`
	First      []plannedRun      `json:"first"`
	Campaign   *plannedCampaign  `json:"campaign"`     // null: none has begun
	Seconds    *plannedSeconds   `json:"seconds_left"` // null: not known
	Bytes      *int64            `json:"bytes_left"`   // null: not known
	Warnings   []string          `json:"warnings"`
}

type plannedVariable struct {
	Name   string              `json:"name"`
	Unit   string              `json:"unit,omitempty"`
	Levels []string            `json:"levels"`
	When   map[string][]string `json:"when,omitempty"`
	Counts []*big.Int          `json:"treatments"` // by level
	Absent *big.Int            `json:"absent"`
}

type plannedSample struct {
	Method    string   `json:"method"`
	Levels    int      `json:"levels"`
	LevelsOf  int      `json:"levels_of"`
	Pairs     *int     `json:"pairs"` // null: too many to count
	PairsOf   *int     `json:"pairs_of"`
	Bound     *int     `json:"pairs_bound"`
	Nearest   *float64 `json:"nearest"`
	Statement []string `json:"covers"`
}

type plannedRun struct {
	RunID     string            `json:"run_id"`
	Position  int64             `json:"position"`
	Block     int               `json:"block"`
	Replicate int               `json:"replicate"`
	Treatment map[string]string `json:"treatment"`
}

type plannedCampaign struct {
	Dir      string          `json:"dir"`
	Kept     int64           `json:"kept"`
	New      int64           `json:"new"`
	Orphaned []plannedOrphan `json:"orphaned"`
	Todo     int64           `json:"todo"`
	Settled  int             `json:"settled_treatments"`
	Changes  []plannedChange `json:"changes"`
	Refused  string          `json:"refused,omitempty"` // why mpf run would not go on with it
}

type plannedOrphan struct {
	RunID     string `json:"run_id"`
	Treatment string `json:"treatment"`
	Replicate int    `json:"replicate"`
	Why       string `json:"why"`
}

type plannedChange struct {
	Kind string `json:"kind"`
	Text string `json:"text"`
	At   string `json:"at,omitempty"`
}

type plannedSeconds struct {
	Total float64 `json:"total"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
	From  int     `json:"measured"`
}

// JSON writes a plan for programs.
func (p Plan) JSON(w io.Writer) error {
	e, d, s := p.experiment(), p.Part, p.Standing
	out := plannedJSON{
		Experiment: e.Name, Seed: e.Seed, Treatments: d.Treatments(), Space: p.Whole.Space().Big(),
		Replicates: d.Blocks(), Blocks: d.Blocks(), Runs: d.Runs(), Order: e.Order, Sample: plannedSampleOf(d),
		Variables: plannedVariables(d), Results: []string{}, Roles: []string{}, First: []plannedRun{}, Warnings: []string{},
		Campaign: plannedCampaignOf(s),
	}
	for _, r := range e.Results {
		out.Results = append(out.Results, r.Name)
	}
	for _, r := range e.Roles {
		out.Roles = append(out.Roles, r.Name)
	}
	for run := range d.First(p.First) {
		out.First = append(out.First, plannedRun{run.ID.String(), run.Position, run.Block, run.Replicate, labels(e, run.Treatment)})
	}
	if f, ok := s.Left(p.Groups); ok {
		out.Seconds = &plannedSeconds{f.Total, f.Low, f.High, f.From}
	}
	if bytes, ok := s.Disk(); ok {
		out.Bytes = &bytes
	}
	for _, w := range p.Whole.Warnings() {
		out.Warnings = append(out.Warnings, w.Error())
	}
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(out)
}

func plannedVariables(d *design.Design) []plannedVariable {
	e := d.Experiment()
	all := []plannedVariable{}
	balances, _ := d.Balances()
	for i, v := range e.Variables {
		out := plannedVariable{Name: v.Name, Unit: v.Unit, Levels: []string{}, Counts: balances[i].Levels, Absent: balances[i].Absent}
		for _, level := range v.Levels {
			out.Levels = append(out.Levels, level.Label)
		}
		for _, c := range v.When {
			if out.When == nil {
				out.When = map[string][]string{}
			}
			parent := e.Variables[c.Variable]
			for _, level := range c.Levels {
				out.When[parent.Name] = append(out.When[parent.Name], parent.Levels[level].Label)
			}
		}
		all = append(all, out)
	}
	return all
}

func plannedSampleOf(d *design.Design) *plannedSample {
	choice := d.Choice()
	if choice == nil {
		return nil
	}
	c := choice.Coverage
	s := &plannedSample{Method: choice.Method, Levels: c.Levels, LevelsOf: c.LevelsOf, Statement: c.Lines()}
	if c.PairsOf >= 0 {
		s.Pairs, s.PairsOf, s.Bound = &c.Pairs, &c.PairsOf, &c.Bound
	}
	if c.Nearest >= 0 {
		s.Nearest = &c.Nearest
	}
	return s
}

func plannedCampaignOf(s *standing.Standing) *plannedCampaign {
	if s == nil {
		return nil
	}
	c := &plannedCampaign{Dir: s.Dir, Kept: s.Diff.Kept, New: s.Diff.New, Todo: s.Todo, Settled: s.Settled,
		Orphaned: []plannedOrphan{}, Changes: []plannedChange{}}
	for _, o := range s.Diff.Orphaned {
		c.Orphaned = append(c.Orphaned, plannedOrphan{o.ID.String(), o.Words, o.Replicate, o.Why})
	}
	for _, change := range s.Changes {
		c.Changes = append(c.Changes, plannedChange{change.Kind, change.Text, change.Pos.String()})
	}
	if s.Refusal != nil {
		c.Refused = s.Refusal.Error()
	}
	return c
}

func labels(e *engine.Experiment, t engine.Treatment) map[string]string {
	m := map[string]string{}
	for i, v := range e.Variables {
		if t[i] != engine.Absent {
			m[v.Name] = t.Label(e.Variables, i)
		}
	}
	return m
}
