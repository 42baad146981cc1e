package agent

import (
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
	w      *workspace
	period time.Duration
	reader *sample.Reader
	quit   chan struct{}
	done   chan struct{}
	once   sync.Once

	// of the goroutine until done is closed
	readings int
	missed   int
	cpu      time.Duration
	size     int64
}

// fastest is the shortest period that is served.
const fastest = 10 * time.Millisecond

// startSampler takes the first reading before anything of the attempt starts.
func startSampler(w *workspace, o wire.Sampling) *sampler {
	if o.Period <= 0 {
		o.Period = time.Second
	}
	o.Period = max(o.Period, fastest)
	s := &sampler{
		w: w, period: o.Period,
		quit: make(chan struct{}), done: make(chan struct{}),
	}
	s.reader = sample.NewReader(o, sample.Host{Programs: w.server, Tree: w.tree})
	s.read()
	go s.run()
	return s
}

// run reads at the ticks of a grid that begins with the first reading. A tick
// that is over before it could be served is missed.
func (s *sampler) run() {
	defer close(s.done)
	origin := time.Now()
	timer := time.NewTimer(s.period)
	defer timer.Stop()
	for tick := 1; ; tick++ {
		select {
		case <-timer.C:
		case <-s.quit:
			s.read()
			return
		}
		s.read()
		if now := int(time.Since(origin) / s.period); now > tick {
			s.missed += now - tick
			tick = now
		}
		timer.Reset(time.Until(origin.Add(time.Duration(tick+1) * s.period)))
	}
}

// read takes and sends one reading and accounts for what that cost.
func (s *sampler) read() {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before := clock(unix.CLOCK_THREAD_CPUTIME_ID)
	reading := s.reader.Read()
	body := reading.Append(make([]byte, 0, 512))
	s.readings++
	s.size += int64(len(body))
	// A broken link shows in Receive.
	_ = s.w.server.conn.Send(wire.Message{Type: wire.Reading, ID: s.w.id, Body: body})
	s.cpu += clock(unix.CLOCK_THREAD_CPUTIME_ID) - before
}

// stop takes the last reading and says how it went.
func (s *sampler) stop(c *wire.Closed) {
	s.once.Do(func() { close(s.quit) })
	<-s.done
	c.Readings, c.Missed = s.readings, s.missed
	c.SamplerCPU, c.SampleSize = (s.cpu + s.reader.HelperCPU()).Seconds(), s.size
	c.Warnings = append(c.Warnings, s.reader.Close()...)
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
