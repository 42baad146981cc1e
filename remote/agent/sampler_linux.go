package agent

import (
	"fmt"
	"os"
	"runtime"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"mpf/remote/sample"
	"mpf/remote/wire"
)

// A sampler sends readings of the host while an attempt lasts.
type sampler struct {
	w       *workspace
	reader  *sample.Reader
	ticks   *ticker // or nil
	broken  error   // why there are none
	stopped sync.Once
	done    chan struct{}

	// of the goroutine until done is closed
	readings int
	missed   int
	cpu      time.Duration
	size     int64
	body     []byte // of the last reading
}

// fastest is the shortest period that is served.
const fastest = 10 * time.Millisecond

// startSampler takes the first reading before anything of the attempt starts.
func startSampler(w *workspace, o wire.Sampling) *sampler {
	if o.Period <= 0 {
		o.Period = time.Second
	}
	o.Period = max(o.Period, fastest)
	s := &sampler{w: w, done: make(chan struct{})}
	s.reader = sample.NewReader(o, sample.Host{Programs: w.server, Tree: w.tree})
	s.send(s.reader.Read)
	if s.ticks, s.broken = newTicker(o.Period); s.broken != nil {
		close(s.done)
		return s
	}
	go s.run()
	return s
}

// run reads at the ticks of a grid that begins with the first reading. A tick
// that is over before it could be served is missed.
func (s *sampler) run() {
	defer close(s.done)
	for {
		ticks := s.ticks.wait()
		if ticks == 0 {
			return
		}
		s.missed += ticks - 1
		s.send(s.reader.Read)
	}
}

// send takes and sends one reading and accounts for what that cost.
func (s *sampler) send(read func() wire.HostReading) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before := clock(unix.CLOCK_THREAD_CPUTIME_ID)
	reading := read()
	s.body = reading.Append(s.body[:0])
	s.readings++
	s.size += int64(len(s.body))
	// A broken link shows in Receive.
	_ = s.w.server.conn.Send(wire.Message{Type: wire.Reading, ID: s.w.id, Body: s.body})
	s.cpu += clock(unix.CLOCK_THREAD_CPUTIME_ID) - before
}

// stop takes the last reading and says how it went.
func (s *sampler) stop(c *wire.Closed) {
	s.stopped.Do(s.finish)
	c.Readings, c.Missed = s.readings, s.missed
	c.SamplerCPU, c.SampleSize = (s.cpu + s.reader.HelperCPU()).Seconds(), s.size
	c.Warnings = append(c.Warnings, s.reader.Close()...)
	if s.broken != nil {
		c.Warnings = append(c.Warnings, fmt.Sprintf("the host was read at the first and the last moment only: %v", s.broken))
	}
}

func (s *sampler) finish() {
	if s.ticks != nil {
		s.ticks.stop()
	}
	<-s.done
	s.send(s.reader.ReadLast)
}

// tree sums up the attempt's processes.
func (w *workspace) tree() sample.Processes {
	members := w.server.children.members(
		func(owner *process) bool { return owner.owner == w },
		w.owns)
	const ticksPerSecond = 100 // of every Linux that Go runs on
	var sum sample.Processes
	for _, p := range members {
		sum.Count++
		sum.CPUSeconds += float64(p.userTicks+p.systemTicks) / ticksPerSecond
		sum.ResidentBytes += p.rssPages * int64(os.Getpagesize())
	}
	return sum
}
