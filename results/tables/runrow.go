package tables

import (
	"cmp"
	"slices"
	"strings"

	"mpf/engine"
	"mpf/results/columns"
	"mpf/results/parquet"
	"mpf/results/record"
)

// A runTable is the store of runs.parquet with what it knows of the plans.
type runTable struct {
	*store
	played []*column // of the roles of the attempt before, in its order
	filled []*column // of the results of the attempt before, in its order
	views  []planView
	shown  map[engine.RunID]shownRow // runs whose row is not ok: it may yet move
	judged Holds

	settled int64 // runs of the latest design whose row stays unless it is asked for anew
}

// A shownRow is where the row of a run is, and whether it counts as settled. The
// sequence of its attempt is 0 where an earlier invocation took it in.
type shownRow struct {
	place
	settled  bool
	sequence int64
}

func newRunTable(e *parquet.Encoder, plans []record.Plan, judged Holds) *runTable {
	t := &runTable{
		store: newStore(e, rowsOfShard, true),
		shown: map[engine.RunID]shownRow{}, judged: judged,
	}
	for _, c := range RunColumns() {
		t.add(c, fixed, true)
	}
	t.views = viewPlans(t.store, plans)
	return t
}

// view returns the plan of a number.
func (t *runTable) view(number int) *planView {
	for i := range t.views {
		if t.views[i].Number == number {
			return &t.views[i]
		}
	}
	return nil
}

// put adds the row of an attempt, which takes the place of that of an earlier
// attempt of the same run.
func (t *runTable) put(id string, a *record.Attempt, v *planView) error {
	run := a.Start.Run
	p := place{plan: a.Plan, position: run.Position, attempt: a.Start.Attempt}
	outside := t.isOrphaned(a, v)
	if !outside && !a.Done.Status.Resumes() {
		t.settled++
	}
	if before, ok := t.shown[run.ID]; ok {
		if before.settled {
			t.settled--
		}
		if before.plan != p.plan || before.position != p.position {
			t.drop(before.place)
		}
		delete(t.shown, run.ID)
	}
	if a.Done.Status != engine.OK {
		t.shown[run.ID] = shownRow{p, !outside && !a.Done.Status.Resumes(), a.Sequence}
	}
	sh, row := t.row(p)
	t.identity(&row, id, a)
	t.outcome(&row, a, outside)
	t.hosts(sh, a.Start.Hosts)
	for i, level := range run.Treatment {
		if c := v.columns[i]; level != engine.Absent {
			l := v.Experiment.Variables[i].Levels[level]
			if c.Labelled {
				sh.cell(c).AddText(l.Label)
			} else {
				sh.cell(c).Add(l.Value)
			}
		}
	}
	t.results(sh, a, p)
	return t.end()
}

// identity and outcome follow RunColumns.
func (t *runTable) identity(row *rowWriter, id string, a *record.Attempt) {
	run := a.Start.Run
	row.text(id)
	row.int(int64(run.Replicate))
	row.int(int64(run.Block))
	row.int(run.Position)
}

func (t *runTable) outcome(row *rowWriter, a *record.Attempt, outside bool) {
	row.text(string(a.Done.Status))
	row.text(string(a.Done.Cause))
	row.text(a.Done.Message)
	row.text(a.Done.Step)
	row.text(a.Done.Host)
	row.text(innermost(a.Done.Trace))
	row.int(int64(a.Start.Attempt))
	row.int(int64(a.Start.Attempt))
	row.int(int64(a.Plan))
	row.int(int64(a.Invocation))
	row.int(a.Sequence)
	row.time(a.Start.Wall)
	row.float(a.Done.Seconds)
	row.float(a.Done.Gap)
	row.text(a.Start.Group)
	row.bool(slices.ContainsFunc(a.Start.Hosts, func(h engine.RoleHost) bool { return h.Shared }))
	row.texts(deployedTexts(a.Done.Deployed))
	row.bool(outside)
	row.texts(warningTexts(a.Done.Warnings))
}

func innermost(trace []engine.Pos) string {
	if len(trace) == 0 {
		return ""
	}
	return trace[len(trace)-1].String()
}

func (t *runTable) hosts(sh *shard, played []engine.RoleHost) {
	for i, h := range played {
		if c := t.roleColumn(i, h.Role); c != nil && !playedBefore(played[:i], h.Role) {
			sh.cell(c).AddText(hostsOf(played[i:], h.Role))
		}
	}
}

// roleColumn returns the column of the i-th role of an attempt, nil if no plan
// has it. Most attempts have the roles of the one before.
func (t *runTable) roleColumn(i int, role string) *column {
	if i < len(t.played) && t.played[i] != nil && t.played[i].script[len(hostPrefix):] == role {
		return t.played[i]
	}
	c := t.byName[hostPrefix+role]
	t.played = append(t.played[:min(i, len(t.played))], c)
	return c
}

func (t *runTable) isOrphaned(a *record.Attempt, v *planView) bool {
	latest := &t.views[len(t.views)-1].Plan
	switch {
	case v.Number == latest.Number:
		return false
	case t.judged != nil:
		return !t.judged(v.Plan, a)
	}
	return orphaned(a.Start.Run, v, latest)
}

func playedBefore(hosts []engine.RoleHost, role string) bool {
	for _, h := range hosts {
		if h.Role == role {
			return true
		}
	}
	return false
}

// hostsOf names the hosts of a role, joined by commas.
func hostsOf(hosts []engine.RoleHost, role string) string {
	names := hosts[0].Host
	for _, h := range hosts[1:] {
		if h.Role == role {
			names += "," + h.Host
		}
	}
	return names
}

// warningTexts is a list of texts, each with its code in front. Which run came
// first with a type of its own depends on the order in which runs ended: the
// column says of itself that it is mixed.
func warningTexts(warnings []engine.Warning) []engine.Value {
	var texts []engine.Value
	for _, w := range warnings {
		if w.Code != columns.MixedTypes {
			texts = append(texts, strings.TrimPrefix(w.Code+": "+w.Text, ": "))
		}
	}
	return texts
}

func (t *runTable) results(sh *shard, a *record.Attempt, p place) {
	for i := range a.Done.Results {
		r := &a.Done.Results[i]
		c := t.filledColumn(i, r.Name)
		if c.group == undeclared && (c.first.plan == 0 || earlier(p, i, c.first)) {
			c.first = place{plan: p.plan, position: p.position, index: i}
		}
		if cell := sh.cell(c); cell.Len() < sh.resident() { // the first of a name counts
			cell.Add(r.Value)
		}
	}
}

// earlier reports whether the i-th result of a run stands before a place.
func earlier(run place, i int, p place) bool {
	return cmp.Or(cmp.Compare(run.plan, p.plan), cmp.Compare(run.position, p.position), cmp.Compare(i, p.index)) < 0
}

// filledColumn returns the column of the i-th result of an attempt. Most
// attempts have the results of the one before.
func (t *runTable) filledColumn(i int, name string) *column {
	if i < len(t.filled) && t.filled[i].script == name {
		return t.filled[i]
	}
	c := t.resultColumn(name)
	t.filled = append(t.filled[:min(i, len(t.filled))], c)
	return c
}

// resultColumn returns the column of a result; a variable of the same name has
// another.
func (t *runTable) resultColumn(name string) *column {
	c := t.byName[name]
	if c != nil && c.group != variables && c.group != hosts {
		return c
	}
	if c = t.byName[resultKey+name]; c == nil {
		c = t.undeclared(name)
	}
	return c
}

// resultKey begins the keys of the results that nobody declared: a variable may
// have the same name.
const resultKey = "result "

// undeclared adds the column of a result that nobody declared.
func (s *store) undeclared(name string) *column {
	c := s.add(columns.Column{Name: name, Role: columns.Result, Distinct: true}, undeclared, false)
	c.first = place{}
	s.byName[resultKey+name] = c
	return c
}
