package journal

import (
	"slices"

	"mpf/engine"
	"mpf/results/record"
)

// State says what the journal holds of a run.
func (j *Journal) State(run engine.RunID) engine.RunState {
	j.mu.Lock()
	defer j.mu.Unlock()
	r := j.state.rows.get(run)
	return engine.RunState{Status: r.engineStatus(), Attempts: int(r.attempts), Open: j.state.open[run] != nil}
}

// Unfinished lists the attempts that are open, in the order of their start.
func (j *Journal) Unfinished() []Started {
	j.mu.Lock()
	defer j.mu.Unlock()
	var all []Started
	for _, a := range j.state.openAttempts() {
		all = append(all, *a.started)
	}
	return all
}

// Rows lists the runs whose row has a status.
func (j *Journal) Rows(status engine.Status) []engine.RunID {
	j.mu.Lock()
	defer j.mu.Unlock()
	code := statusCode(status)
	if j.state.counts[code-1] == 0 {
		return nil
	}
	return j.state.rows.with(code)
}

// Reboots lists the hosts that turned out to have been rebooted after the attempt
// that they were lost in was closed, in the order in which that became known.
func (j *Journal) Reboots() []record.Reboot {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clip(j.state.reboots[:j.reboots])
}

// Rebooted reports whether a reboot is among them.
func (j *Journal) Rebooted(r record.Reboot) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	n := j.state.rebooted[r]
	return n > 0 && n <= j.reboots
}

// Count returns the number of rows by status.
func (j *Journal) Count() map[engine.Status]int64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	counts := map[engine.Status]int64{}
	for i, n := range j.state.counts {
		if n > 0 {
			counts[engine.Statuses[i]] = n
		}
	}
	return counts
}

// Learn takes in places of a plan whose runs ended ok under earlier plans or
// elsewhere, as a look at each has shown. They are kept with the index of the
// segment: what is lost with it can be learnt again.
func (j *Journal) Learn(plan int, over engine.Places) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, r := range over.Ranges() {
		j.state.over.of(plan).add(r)
		j.state.overSince.of(plan).add(r)
		j.state.learnt = true
	}
}

// Over returns the places of runs that ended ok, as far as they are known: of
// those that ended under the plan itself, and those that were learnt.
func (j *Journal) Over(plan int) engine.Places {
	j.mu.Lock()
	defer j.mu.Unlock()
	if g := j.state.over[plan]; g != nil {
		return g.places()
	}
	return engine.Places{}
}
