package campaign

import (
	"bufio"
	"errors"
	"fmt"
	"path"

	"mpf/engine"
	"mpf/results/fsys"
	"mpf/results/record"
)

// A segment is a sample segment that is being written.
type segment struct {
	Segment
	name   string
	file   fsys.File
	buffer *bufio.Writer
}

// nowhere takes the readings of a host when they are not kept.
type nowhere struct{}

func (nowhere) Put(engine.Reading) {}

// Readings implements engine.AttemptLog. The segment is made at once: a run
// without a reading says so by a segment without rows.
func (a *attempt) Readings(host string) engine.ReadingSink {
	c := a.campaign
	if c.config.Segments == nil {
		return nowhere{}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	name := record.SegmentName(host)
	for _, s := range a.segments {
		if s.name == name {
			return s
		}
	}
	a.makeDir()
	s, err := c.beginSegment(a.temp(), name, host)
	if err != nil {
		_ = c.fail(err) // the attempt's Done returns it
		return nowhere{}
	}
	a.segments = append(a.segments, s)
	return s
}

func (c *Campaign) beginSegment(dir, name, host string) (*segment, error) {
	f, err := fsys.Create(c.tree, path.Join(dir, name))
	if err != nil {
		return nil, err
	}
	buffer := bufio.NewWriterSize(f, 1<<16)
	s, err := c.config.Segments(buffer, host)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &segment{Segment: s, name: name, file: f, buffer: buffer}, nil
}

// closeSegments ends all segments and returns their rows by file name. Readings
// that were dropped are a warning.
func (a *attempt) closeSegments(d *engine.Done) (map[string]int64, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	rows := map[string]int64{}
	for _, s := range a.segments {
		n, err := s.Close()
		// a failed write of the stream below shows again in Flush
		if err := errors.Join(err, s.buffer.Flush(), s.file.Close()); err != nil {
			return nil, fmt.Errorf("%s: %w", s.name, err)
		}
		rows[s.name] = n
		if dropped := s.Dropped(); dropped > 0 {
			d.Warnings = append(d.Warnings, engine.Warning{
				Code: "readings-dropped", Text: fmt.Sprintf("%s: %d readings came too fast to be kept", s.name, dropped),
			})
		}
	}
	return rows, nil
}
