package export

import (
	"fmt"
	"math"
	"time"

	"mpf/engine"
	"mpf/results/columns"
	"mpf/results/usage"
)

// SeriesOf makes the bounded series of the hosts of one attempt of rows of
// samples.parquet, hosts in the order in which they come.
func SeriesOf(samples columns.Frame, rows []int) ([][]usage.Point, error) {
	reader, err := newReadingReader(samples)
	if err != nil {
		return nil, err
	}
	var hosts []string
	series := map[string]*usage.Series{}
	meters := map[string]*usage.Meter{}
	for _, row := range rows {
		host, _ := samples.Vectors[reader.host].At(row).(string)
		if meters[host] == nil {
			hosts = append(hosts, host)
			if series[host], err = usage.NewSeries(0); err != nil {
				return nil, err
			}
			meters[host] = &usage.Meter{Each: series[host].Add}
		}
		meters[host].Add(reader.at(row))
	}
	points := make([][]usage.Point, len(hosts))
	for i, host := range hosts {
		meters[host].End()
		points[i] = series[host].Points()
	}
	return points, nil
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
	cpus, _ := r.frame.Vectors[r.cpus].At(row).(int64)
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
