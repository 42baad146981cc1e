package sample

import (
	"io"
	"time"
)

// A Host is what a reader needs beside /proc.
type Host struct {
	Programs Programs
	Tree     func() Processes // of the attempt
}

// Programs runs programs that watch the host for as long as a reader lives.
type Programs interface {
	// Watch starts a program and gives its output, stdout or stderr, by line.
	Watch(stderr bool, line func(string), argv ...string) (Watcher, error)
}

// A Watcher is a program that runs.
type Watcher interface {
	io.Closer
	// Finish has the program say its last, and waits for its end for a while.
	Finish(patience time.Duration)
	Ended() bool
	CPUSeconds() float64
}

// Processes are sums over an attempt's living processes.
type Processes struct {
	Count         int
	CPUSeconds    float64
	ResidentBytes int64
}
