package link

import (
	"fmt"
	"sync/atomic"
	"time"

	"mpf/engine"
	"mpf/remote/wire"
)

// A readingSink takes the readings of one workspace.
type readingSink struct {
	sink  engine.ReadingSink
	count atomic.Int64
	last  int64 // monotonic clock of the reading before; receive's own
}

func (l *Link) takeReading(m wire.Message) error {
	l.mu.Lock()
	s := l.sinks[m.ID]
	l.mu.Unlock()
	if s == nil {
		return &wire.ProtocolError{What: fmt.Sprintf("a reading for workspace %d, which is not open", m.ID)}
	}
	r, err := wire.ParseReading(m.Body)
	if err != nil {
		return err
	}
	if int64(r.Mono) < s.last {
		return &wire.ProtocolError{What: "a reading older than the one before"}
	}
	s.last = int64(r.Mono)
	s.count.Add(1)
	s.sink.Put(engineReading(r))
	return nil
}

func engineReading(r wire.HostReading) engine.Reading {
	return engine.Reading{
		Wall: time.Unix(0, r.Wall), Mono: r.Mono, Took: r.Took,
		CPUs: int(r.CPUs), CPUMean: r.CPUMean, CPUMin: r.CPUMin, CPUMax: r.CPUMax,
		CPUUser: r.User, CPUNice: r.Nice, CPUSystem: r.System, CPUIdle: r.Idle,
		CPUIOWait: r.IOWait, CPUIRQ: r.IRQ, CPUSoftIRQ: r.SoftIRQ, CPUSteal: r.Steal,
		Load1: r.Load1, MemTotal: r.MemTotal, MemAvailable: r.MemAvail, MemPercent: r.MemPercent,
		SwapUsed: r.SwapUsed, DiskPercent: r.DiskPercent,
		DiskReadBytes: r.DiskRead, DiskWrittenBytes: r.DiskWrite,
		NetLoSentBytes: r.LoSent, NetLoReceivedBytes: r.LoRecv,
		NetExtSentBytes: r.ExtSent, NetExtReceivedBytes: r.ExtRecv,
		Extra: r.Extra,
	}
}

func wireSampling(a engine.Attempt) *wire.Sampling {
	s := a.Sampling
	if s.Off || a.Readings == nil {
		return nil
	}
	period := s.Period
	if period <= 0 {
		period = time.Second
	}
	return &wire.Sampling{
		Period: period, Mounts: s.Mounts, Disks: s.Disks, NICs: s.NICs,
		Processes: s.Processes, GPU: s.GPU, Pressure: s.Pressure, Perf: s.Perf,
	}
}
