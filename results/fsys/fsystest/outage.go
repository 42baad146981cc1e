package fsystest

// An outage is the instant at which the power goes, counted by the changes that
// are made through nodes.
type outage struct {
	changes int
	at      int // 0: the power stays
	came    chan struct{}
}

// OutageAt lets the power go instead of a change, counted from 1: that and all
// that follows is answered by EIO. The channel is closed then.
func (m *Memory) OutageAt(change int) (came <-chan struct{}) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.outage = outage{at: change, came: make(chan struct{})}
	return m.came
}

// Changes returns how many changes were made, syncs included, since OutageAt.
func (m *Memory) Changes() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.changes
}

// ends counts a change and reports whether the power goes instead.
func (o *outage) ends() bool {
	o.changes++
	if o.changes != o.at {
		return false
	}
	close(o.came)
	return true
}
