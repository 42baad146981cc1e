package remotetest

import (
	"crypto/rand"
	"sync"

	"mpf/engine"
)

// NewAttempt names an attempt that nobody had before.
func NewAttempt() engine.Attempt {
	var id engine.RunID
	// crypto/rand never fails.
	_, _ = rand.Read(id[:])
	return engine.Attempt{Run: id, Number: 1, Nonce: rand.Text()}
}

// Readings is a sink that keeps all readings.
type Readings struct {
	mu  sync.Mutex
	all []engine.Reading
}

// Put keeps a reading.
func (r *Readings) Put(reading engine.Reading) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = append(r.all, reading)
}

// All returns what came so far.
func (r *Readings) All() []engine.Reading {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]engine.Reading(nil), r.all...)
}

// Shown is a sink that keeps live output by command and stream.
type Shown struct {
	mu  sync.Mutex
	all map[string]string
}

// Write keeps a piece.
func (s *Shown) Write(host, command string, stderr bool, data []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all == nil {
		s.all = map[string]string{}
	}
	key := command
	if stderr {
		key += " stderr"
	}
	s.all[key] += string(data)
}

// Text is what a command printed on a stream so far.
func (s *Shown) Text(command string, stderr bool) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if stderr {
		command += " stderr"
	}
	return s.all[command]
}
