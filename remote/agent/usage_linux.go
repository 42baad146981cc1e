package agent

import (
	"syscall"

	"mpf/remote/wire"
)

// addUsage adds what the kernel accounted to one reaped process, which holds
// what it waited for itself. The largest resident set is that of the largest
// process.
func addUsage(u *wire.Usage, r *syscall.Rusage) {
	u.UserSeconds += seconds(r.Utime)
	u.SystemSeconds += seconds(r.Stime)
	u.MaxRSS = max(u.MaxRSS, int64(r.Maxrss))
	u.SharedText += int64(r.Ixrss)
	u.UnsharedData += int64(r.Idrss)
	u.UnsharedStack += int64(r.Isrss)
	u.MinorFaults += int64(r.Minflt)
	u.MajorFaults += int64(r.Majflt)
	u.Swaps += int64(r.Nswap)
	u.BlocksIn += int64(r.Inblock)
	u.BlocksOut += int64(r.Oublock)
	u.MessagesSent += int64(r.Msgsnd)
	u.MessagesReceived += int64(r.Msgrcv)
	u.Signals += int64(r.Nsignals)
	u.VoluntarySwitches += int64(r.Nvcsw)
	u.InvoluntarySwitches += int64(r.Nivcsw)
}

func seconds(t syscall.Timeval) float64 { return float64(t.Sec) + float64(t.Usec)/1e6 }

// used is the CPU time of a command that is over, with all its children.
func (p *process) used() (seconds float64, over bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.usage.UserSeconds + p.usage.SystemSeconds, p.over
}
