package export

import (
	"fmt"
	"math"
	"time"

	"mpf/engine"
	"mpf/results/columns"
	"mpf/results/usage"
)

// A Watched is a host and how it was to be watched: 0 is the default.
type Watched struct {
	Host   string
	Period time.Duration
	Cap    int // of points
}

// SeriesOf makes the bounded series of the hosts of one attempt of rows of
// samples.parquet: a series for each host, without points where it has no
// samples, then those of hosts that are not listed in the order in which they come.
func SeriesOf(samples columns.Frame, rows []int, hosts []Watched) ([][]usage.Point, error) {
	reader, err := newReadingReader(samples)
	if err != nil {
		return nil, err
	}
	var all []*hostSeries
	byName := map[string]*hostSeries{}
	add := func(h Watched) error {
		s, err := newHostSeries(h)
		all, byName[h.Host] = append(all, s), s
		return err
	}
	for _, h := range hosts {
		if err := add(h); err != nil {
			return nil, err
		}
	}
	for _, row := range rows {
		host, _ := samples.Vectors[reader.host].At(row).(string)
		if byName[host] == nil {
			if err := add(Watched{Host: host}); err != nil {
				return nil, err
			}
		}
		byName[host].meter.Add(reader.at(row))
	}
	points := make([][]usage.Point, len(all))
	for i, s := range all {
		s.meter.End()
		points[i] = s.series.Points()
	}
	return points, nil
}

// A hostSeries is the series of a host that is being made.
type hostSeries struct {
	series *usage.Series
	meter  usage.Meter
}

func newHostSeries(h Watched) (*hostSeries, error) {
	series, err := usage.NewSeries(h.Cap)
	if err != nil {
		return nil, err
	}
	return &hostSeries{series, usage.Meter{Period: h.Period, Each: series.Add}}, nil
}

// A readingReader makes readings of rows.
type readingReader struct {
	frame            columns.Frame
	numbers          []columns.ReadingColumn
	places           []int
	host, time, mono int
	cpus             int
}

func newReadingReader(f columns.Frame) (*readingReader, error) {
	r := &readingReader{frame: f, numbers: columns.ReadingColumns(), host: f.Find("host"), time: f.Find("time"), mono: f.Find("mono"), cpus: f.Find("cpus")}
	for _, n := range r.numbers {
		r.places = append(r.places, f.Find(n.Name))
	}
	for _, p := range append([]int{r.host, r.time, r.mono, r.cpus}, r.places...) {
		if p < 0 {
			return nil, fmt.Errorf("the table is no samples.parquet: it lacks a column")
		}
	}
	return r, nil
}

func (r *readingReader) at(row int) engine.Reading {
	var reading engine.Reading
	reading.Wall, _ = r.frame.Vectors[r.time].At(row).(time.Time)
	mono, _ := r.frame.Vectors[r.mono].At(row).(float64)
	reading.Mono = time.Duration(math.Round(mono * 1e9))
	cpus, _ := r.frame.Vectors[r.cpus].At(row).(int64) // 0 where it is null: not known
	reading.CPUs = int(cpus)
	for i, n := range r.numbers {
		switch v := r.frame.Vectors[r.places[i]].At(row).(type) {
		case int64:
			*n.Int(&reading) = v
		case float64:
			*n.Float(&reading) = v
		default:
			if n.Int != nil {
				*n.Int(&reading) = -1
			} else {
				*n.Float(&reading) = math.NaN()
			}
		}
	}
	return reading
}
