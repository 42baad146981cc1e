package wire

import (
	"encoding/binary"
	"math"
	"sort"
	"time"
)

// A HostReading is one look at a host's counters. A negative count and a NaN
// were not to be had.
type HostReading struct {
	Wall int64 // Unix nanoseconds
	Mono time.Duration
	Took time.Duration

	CPUs      int64
	DiskRead  int64 // bytes
	DiskWrite int64
	LoSent    int64
	LoRecv    int64
	ExtSent   int64
	ExtRecv   int64
	MemTotal  int64
	MemAvail  int64
	SwapUsed  int64

	CPUMean, CPUMin, CPUMax     float64
	User, Nice, System, Idle    float64 // seconds
	IOWait, IRQ, SoftIRQ, Steal float64
	Load1                       float64
	MemPercent, DiskPercent     float64

	Extra map[string]float64
}

const maxExtra = 4096

func (r *HostReading) integers() [10]*int64 {
	return [...]*int64{
		&r.CPUs, &r.DiskRead, &r.DiskWrite, &r.LoSent, &r.LoRecv, &r.ExtSent, &r.ExtRecv,
		&r.MemTotal, &r.MemAvail, &r.SwapUsed,
	}
}

func (r *HostReading) floats() [14]*float64 {
	return [...]*float64{
		&r.CPUMean, &r.CPUMin, &r.CPUMax, &r.User, &r.Nice, &r.System, &r.Idle,
		&r.IOWait, &r.IRQ, &r.SoftIRQ, &r.Steal, &r.Load1, &r.MemPercent, &r.DiskPercent,
	}
}

// Append encodes a reading: wall clock in nanoseconds, monotonic clock and
// duration, integers, floats, then the count of extra values and each with its
// name's length (u16), name and bits.
func (r *HostReading) Append(b []byte) []byte {
	b = binary.BigEndian.AppendUint64(b, uint64(r.Wall))
	b = binary.BigEndian.AppendUint64(b, uint64(r.Mono))
	b = binary.BigEndian.AppendUint64(b, uint64(r.Took))
	for _, v := range r.integers() {
		b = binary.BigEndian.AppendUint64(b, uint64(*v))
	}
	for _, v := range r.floats() {
		b = binary.BigEndian.AppendUint64(b, math.Float64bits(*v))
	}
	b = binary.BigEndian.AppendUint16(b, uint16(len(r.Extra)))
	if len(r.Extra) == 0 {
		return b
	}
	names := make([]string, 0, len(r.Extra))
	for name := range r.Extra {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		b = binary.BigEndian.AppendUint16(b, uint16(len(name)))
		b = append(b, name...)
		b = binary.BigEndian.AppendUint64(b, math.Float64bits(r.Extra[name]))
	}
	return b
}

// ParseReading reads what Append wrote.
func ParseReading(b []byte) (HostReading, error) {
	var r HostReading
	d := decoder{rest: b}
	r.Wall = int64(d.uint64())
	r.Mono = time.Duration(d.uint64())
	r.Took = time.Duration(d.uint64())
	for _, v := range r.integers() {
		*v = int64(d.uint64())
	}
	for _, v := range r.floats() {
		*v = math.Float64frombits(d.uint64())
	}
	count := int(d.uint16())
	if count > maxExtra {
		return r, protocolErrorf("a reading of %d extra values", count)
	}
	for range count {
		name := string(d.bytes(int(d.uint16())))
		value := math.Float64frombits(d.uint64())
		if d.short {
			break
		}
		if r.Extra == nil {
			r.Extra = map[string]float64{}
		}
		r.Extra[name] = value
	}
	if d.short || len(d.rest) > 0 {
		return r, protocolErrorf("a reading of %d bytes", len(b))
	}
	return r, nil
}

// decoder takes numbers from the front of a slice; short says that it ended too
// early.
type decoder struct {
	rest  []byte
	short bool
}

func (d *decoder) bytes(n int) []byte {
	if n > len(d.rest) {
		d.short, d.rest = true, nil
		return nil
	}
	b := d.rest[:n]
	d.rest = d.rest[n:]
	return b
}

func (d *decoder) uint64() uint64 {
	if b := d.bytes(8); b != nil {
		return binary.BigEndian.Uint64(b)
	}
	return 0
}

func (d *decoder) uint16() uint16 {
	if b := d.bytes(2); b != nil {
		return binary.BigEndian.Uint16(b)
	}
	return 0
}
