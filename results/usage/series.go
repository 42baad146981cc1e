package usage

import (
	"fmt"
	"math"
	"time"
)

// A Point is one or more samples of a series, one after the other. NaN was not
// to be had.
type Point struct {
	N          int
	Start, End float64 // seconds since the baseline
	Wall       time.Time
	Weight     float64

	CPUMean, CPUAvgMin, CPUAvgMax float64 // of the mean over the CPUs
	CPUMin, CPUMax                float64 // of the idlest and the busiest CPU
	MemMean, MemMin, MemMax       float64
	DiskMax                       float64
	Moved                         [counterCount]float64 // MiB since the baseline, at the end

	cpuWeight, memWeight float64
}

func pointOf(s Sample) Point {
	return Point{
		N: 1, Start: s.Start, End: s.End, Wall: s.Wall, Weight: s.Weight(),
		CPUMean: s.Avg, CPUAvgMin: s.Avg, CPUAvgMax: s.Avg, CPUMin: s.Min, CPUMax: s.Max,
		MemMean: s.Mem, MemMin: s.Mem, MemMax: s.Mem, DiskMax: s.Disk, Moved: s.Moved,
		cpuWeight: weightOf(s.Avg, s.Weight()), memWeight: weightOf(s.Mem, s.Weight()),
	}
}

func weightOf(x, w float64) float64 {
	if math.IsNaN(x) {
		return 0
	}
	return w
}

// join makes one point of p and the one that follows it.
func (p Point) join(q Point) Point {
	j := q
	j.N, j.Start, j.Weight = p.N+q.N, p.Start, p.Weight+q.Weight
	j.CPUMean, j.cpuWeight = mean(p.CPUMean, p.cpuWeight, q.CPUMean, q.cpuWeight)
	j.MemMean, j.memWeight = mean(p.MemMean, p.memWeight, q.MemMean, q.memWeight)
	j.CPUAvgMin, j.CPUAvgMax = least(p.CPUAvgMin, q.CPUAvgMin), most(p.CPUAvgMax, q.CPUAvgMax)
	j.CPUMin, j.CPUMax = least(p.CPUMin, q.CPUMin), most(p.CPUMax, q.CPUMax)
	j.MemMin, j.MemMax = least(p.MemMin, q.MemMin), most(p.MemMax, q.MemMax)
	j.DiskMax = most(p.DiskMax, q.DiskMax)
	return j
}

func mean(x, xw, y, yw float64) (float64, float64) {
	switch {
	case math.IsNaN(x):
		return y, yw
	case math.IsNaN(y):
		return x, xw
	}
	return (x*xw + y*yw) / (xw + yw), xw + yw
}

func least(x, y float64) float64 {
	if math.IsNaN(x) || y < x {
		return y
	}
	return x
}

func most(x, y float64) float64 {
	if math.IsNaN(x) || y > x {
		return y
	}
	return x
}

// DefaultCap is how many points a series keeps unless said otherwise.
const DefaultCap = 1000

// A Series keeps a bounded number of points: the first and the newest sample as
// they are, and between them points of equally many samples, the last of which
// may have fewer. When they grow too many, neighbours join.
type Series struct {
	cap        int
	stride     int
	head, tail []Point // none or one
	body       []Point
}

// NewSeries returns a series of at most limit points: an even number, 4 at
// least. 0 is DefaultCap.
func NewSeries(limit int) (*Series, error) {
	if limit == 0 {
		limit = DefaultCap
	}
	if limit < 4 || limit%2 != 0 {
		return nil, fmt.Errorf("a series of %d points: take an even number, 4 at least", limit)
	}
	return &Series{cap: limit, stride: 1}, nil
}

// Add takes the next sample.
func (s *Series) Add(sample Sample) {
	p := pointOf(sample)
	if len(s.head) == 0 {
		s.head = []Point{p}
		return
	}
	if len(s.tail) == 1 {
		s.settle(s.tail[0])
	}
	s.tail = append(s.tail[:0], p)
}

// settle moves a point into the body.
func (s *Series) settle(p Point) {
	if n := len(s.body); n > 0 && s.body[n-1].N < s.stride {
		s.body[n-1] = s.body[n-1].join(p)
	} else {
		s.body = append(s.body, p)
	}
	if len(s.body) > s.cap-2 {
		s.halve()
	}
}

func (s *Series) halve() {
	half := s.body[:0]
	for i := 0; i < len(s.body); i += 2 {
		p := s.body[i]
		if i+1 < len(s.body) {
			p = p.join(s.body[i+1])
		}
		half = append(half, p)
	}
	s.body = half
	s.stride *= 2
}

// Points returns the points so far.
func (s *Series) Points() []Point {
	points := make([]Point, 0, len(s.head)+len(s.body)+len(s.tail))
	points = append(points, s.head...)
	points = append(points, s.body...)
	return append(points, s.tail...)
}
