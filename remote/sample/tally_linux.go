package sample

// traffic is two counters of a device in bytes: read and written, or sent and
// received.
type traffic [2]int64

func (t *traffic) add(u traffic) {
	t[0] += u[0]
	t[1] += u[1]
}

// A tally remembers the counters of devices, so that sums over devices never go
// back: one that is gone keeps what it had, one that comes begins at 0.
type tally map[string]traffic

// gained is by how much the counters of a device grew since it was looked at
// last. One that went down was reset.
func (t tally) gained(device string, now traffic) (gain traffic, reset bool) {
	before := t[device]
	for i := range now {
		if now[i] < before[i] {
			before[i], reset = 0, true
		}
		gain[i] = now[i] - before[i]
	}
	t[device] = now
	return gain, reset
}
