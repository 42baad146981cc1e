package agent

import (
	"testing"
	"time"
)

// Ticks that nobody waited for are counted by the next wait, and a stop ends the
// wait for one that is far away.
func TestTickerCountsAndStops(t *testing.T) {
	fast, err := newTicker(time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	sum := 0
	for sum < 20 {
		sum += fast.wait()
	}
	if took := time.Since(begun); took < 19*time.Millisecond {
		t.Errorf("%d ticks of a millisecond in %s", sum, took)
	}
	fast.stop()
	if n := fast.wait(); n != 0 {
		t.Errorf("%d ticks of a ticker that was stopped", n)
	}
	slow, err := newTicker(time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan int)
	go func() { ended <- slow.wait() }()
	slow.stop()
	if n := <-ended; n != 0 {
		t.Errorf("%d ticks before the hour was over", n)
	}
}
