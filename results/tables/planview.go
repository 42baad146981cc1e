package tables

import (
	"slices"

	"mpf/engine"
	"mpf/results/columns"
	"mpf/results/record"
)

// A planView is a plan with the columns that its variables fill.
type planView struct {
	record.Plan
	columns []*column     // by index of variable
	latest  []levelInPlan // by index of variable: the same in the latest plan
}

// levelInPlan maps the levels of a variable to those of another plan.
type levelInPlan struct {
	variable int // or engine.Absent
	levels   []int
}

// variableColumn describes a variable over all plans that have it, the latest
// first. The column shows values if they are plain, of types that join, and
// nobody labelled them; else it shows labels.
func variableColumn(versions []engine.Variable) (columns.Column, columns.Mix) {
	latest := versions[0]
	c := columns.Column{Name: latest.Name, Role: columns.Variable, Unit: latest.Unit}
	var mix columns.Mix
	values := &columns.Vector{}
	for _, v := range versions {
		for _, level := range v.Levels {
			if !slices.ContainsFunc(c.Levels, func(l columns.Level) bool { return l.Label == level.Label }) {
				c.Levels = append(c.Levels, columns.Level{Label: level.Label, Value: level.Value})
			}
			c.Labelled = c.Labelled || !showsItself(level)
			values.Add(level.Value)
		}
	}
	mix.Add(values, 0)
	if _, mixed := mix.Type(); mixed || c.Labelled {
		c.Labelled, mix = true, columns.Mix{}
		mix.Declare(columns.String)
	}
	c.Type, _ = mix.Type()
	return c, mix
}

// showsItself reports whether a column can hold the value and lose nothing: a
// null would look like an absent variable.
func showsItself(l engine.Level) bool {
	switch l.Value.(type) {
	case bool, int64, float64, string:
		return l.Label == engine.FormatValue(l.Value)
	}
	return false
}

// hostPrefix begins the name of the column of a role's hosts.
const hostPrefix = "host_"

// viewPlans adds the columns of all plans to the runs table, those of the latest
// plan first.
func viewPlans(s *store, plans []record.Plan) []planView {
	for _, p := range slices.Backward(plans) {
		for _, r := range p.Experiment.Roles {
			s.shared(hostPrefix+r.Name, hosts, func() columns.Column {
				return fixedColumn(hostPrefix+r.Name, columns.String, columns.Outcome, "", "hosts that played the role "+r.Name+", joined by commas")
			})
		}
		for _, v := range p.Experiment.Variables {
			s.variable(v.Name, plans)
		}
		for _, r := range p.Experiment.Results {
			s.result(r)
		}
	}
	views := make([]planView, len(plans))
	for i, p := range plans {
		views[i].Plan = p
		for _, v := range p.Experiment.Variables {
			views[i].columns = append(views[i].columns, s.byName[v.Name])
			views[i].latest = append(views[i].latest, mapLevels(v, plans[len(plans)-1].Experiment.Variables))
		}
	}
	return views
}

// shared returns the column of a name, which make describes if it is new.
func (s *store) shared(name string, g group, make func() columns.Column) *column {
	if c := s.byName[name]; c != nil {
		return c
	}
	c := s.add(make(), g, g == hosts)
	s.byName[name] = c
	return c
}

func (s *store) variable(name string, plans []record.Plan) {
	var mix columns.Mix
	c := s.shared(name, variables, func() (c columns.Column) {
		var versions []engine.Variable
		for _, p := range slices.Backward(plans) {
			for _, v := range p.Experiment.Variables {
				if v.Name == name {
					versions = append(versions, v)
				}
			}
		}
		c, mix = variableColumn(versions)
		return c
	})
	c.mix.Join(mix)
	c.typed = true
}

func (s *store) result(r engine.ResultColumn) {
	c := s.shared(r.Name, declared, func() columns.Column {
		return columns.Column{
			Name: r.Name, Type: columns.Type(r.Type), Role: columns.Result,
			Unit: r.Unit, Better: r.Better, Description: r.Description, Declared: true,
			Distinct: r.Type == engine.Float,
		}
	})
	c.mix.Declare(columns.Type(r.Type))
}

func mapLevels(v engine.Variable, latest []engine.Variable) levelInPlan {
	m := levelInPlan{variable: slices.IndexFunc(latest, func(l engine.Variable) bool { return l.Name == v.Name })}
	if m.variable == engine.Absent {
		return m
	}
	now := latest[m.variable].Levels
	for _, level := range v.Levels {
		m.levels = append(m.levels, slices.IndexFunc(now, func(l engine.Level) bool {
			return l.Label == level.Label && sameValue(l.Value, level.Value)
		}))
	}
	return m
}

func sameValue(a, b engine.Value) bool {
	return !engine.IsPlain(a) && !engine.IsPlain(b) ||
		string(engine.AppendCanonical(nil, a, "")) == string(engine.AppendCanonical(nil, b, ""))
}

// orphaned reports whether the latest plan, as far as its data tells, does not
// hold a run any more: a level, a variable or a replicate is gone, or a
// condition holds no longer.
func orphaned(run engine.Run, of *planView, latest *record.Plan) bool {
	t := make(engine.Treatment, len(latest.Experiment.Variables))
	for i := range t {
		t[i] = engine.Absent
	}
	for i, level := range run.Treatment {
		if level == engine.Absent {
			continue
		}
		m := of.latest[i]
		if m.variable == engine.Absent || m.levels[level] == engine.Absent {
			return true
		}
		t[m.variable] = m.levels[level]
	}
	return run.Replicate > max(latest.Experiment.Replicates, most(latest.Experiment.Stopping)) || !valid(t, &latest.Experiment)
}

func most(rules []engine.Stopping) int {
	n := 0
	for _, r := range rules {
		n = max(n, r.Max)
	}
	return n
}

// valid reports whether exactly those variables are present whose conditions
// hold, and linked ones stand in one row.
func valid(t engine.Treatment, e *engine.Experiment) bool {
	for i, v := range e.Variables {
		holds := true
		for _, c := range v.When {
			holds = holds && slices.Contains(c.Levels, t[c.Variable])
		}
		if holds != (t[i] != engine.Absent) {
			return false
		}
	}
	for _, l := range e.Links {
		if !slices.ContainsFunc(l.Rows, func(row []int) bool {
			return !slices.ContainsFunc(l.Variables, func(v int) bool {
				return t[v] != engine.Absent && t[v] != row[slices.Index(l.Variables, v)]
			})
		}) {
			return false
		}
	}
	return true
}
