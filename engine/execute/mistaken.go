package execute

import (
	"fmt"
	"sync"

	"mpf/engine"
)

// maxMistakes is after how many runs that failed at the same place of the file a
// loop stops, if none ended otherwise.
const maxMistakes = 3

// A MistakeError is a mistake of the experiment file that fails every run: going
// on would fill the record with equal rows.
type MistakeError struct {
	Runs int
	Last engine.Done
}

func (e *MistakeError) Error() string {
	return fmt.Sprintf("stopped: the first %d runs all failed in the same way (%s): %s", e.Runs, e.Last.Cause, e.Last.Message)
}

// mistakes watches how the first runs of a loop end.
type mistakes struct {
	lock sync.Mutex
	over bool // a run ended otherwise
	runs int
	last engine.Done
}

// otherwise notes a run that shows the file to be good.
func (m *mistakes) otherwise() {
	m.lock.Lock()
	defer m.lock.Unlock()
	m.over = true
}

// note takes in the end of a run. It returns an error once the first few have
// failed by the file's own fault, all at the same place.
func (m *mistakes) note(done engine.Done) error {
	m.lock.Lock()
	defer m.lock.Unlock()
	same := m.runs == 0 || done.Cause == m.last.Cause && done.Step == m.last.Step && placeOf(done) == placeOf(m.last)
	if m.over = m.over || !done.Cause.Mistaken() || !same; m.over {
		return nil
	}
	m.last = done
	if m.runs++; m.runs < maxMistakes {
		return nil
	}
	return &MistakeError{Runs: m.runs, Last: done}
}

// placeOf is where in the file an attempt failed.
func placeOf(done engine.Done) engine.Pos {
	if len(done.Trace) == 0 {
		return engine.Pos{}
	}
	return done.Trace[len(done.Trace)-1]
}
