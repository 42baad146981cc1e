package wire

import (
	"bytes"
	"errors"
	"sync"
	"testing"
)

// A gate is a writer that waits before each Write until it may go on.
type gate struct {
	begun, goOn chan struct{}
	err         error

	bytes.Buffer
	writes int
}

func newGate() *gate { return &gate{begun: make(chan struct{}, 100), goOn: make(chan struct{}, 100)} }

func (g *gate) Write(p []byte) (int, error) {
	g.begun <- struct{}{}
	<-g.goOn
	if g.err != nil {
		return 0, g.err
	}
	g.writes++
	return g.Buffer.Write(p)
}

// payloads are those of all frames that came, in their order.
func (g *gate) payloads(t *testing.T) []string {
	t.Helper()
	var all []string
	r := NewFrameReader(&g.Buffer)
	for g.Len() > 0 || len(r.buffer) > r.start {
		f, err := r.Read()
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, string(f.Payload))
	}
	return all
}

func TestFramesThatWaitAreWrittenTogether(t *testing.T) {
	g := newGate()
	w := NewFrameWriter(g)
	var first sync.WaitGroup
	first.Go(func() { check(t, w.Write(Data, []byte("first"))) })
	<-g.begun
	for range 50 {
		check(t, w.Write(Data, []byte("later")))
	}
	close(g.goOn)
	first.Wait()
	if got := g.payloads(t); len(got) != 51 || got[0] != "first" || got[50] != "later" || g.writes != 2 {
		t.Errorf("%d writes of %q", g.writes, got)
	}
}

func TestFramesWithoutRoomWait(t *testing.T) {
	g := newGate()
	w := NewFrameWriter(g)
	piece := bytes.Repeat([]byte("x"), together/2)
	large := bytes.Repeat([]byte("y"), MaxPayload)
	var all sync.WaitGroup
	all.Go(func() { check(t, w.Write(Data, piece)) })
	<-g.begun
	for range 4 {
		all.Go(func() { check(t, w.Write(Data, piece)) })
		all.Go(func() { check(t, w.Write(Data, large)) })
	}
	w.mu.Lock()
	if len(w.filled) > together {
		t.Errorf("%d bytes wait to be written", len(w.filled))
	}
	w.mu.Unlock()
	close(g.goOn)
	all.Wait()
	count := map[string]int{}
	for _, p := range g.payloads(t) {
		count[p]++
	}
	if count[string(piece)] != 5 || count[string(large)] != 4 || len(count) != 2 {
		t.Errorf("%d small and %d large frames came", count[string(piece)], count[string(large)])
	}
}

func TestHeldFramesGoWithFlush(t *testing.T) {
	g := newGate()
	close(g.goOn)
	held := true
	w := NewFrameWriter(g)
	w.held = func() bool { return held }
	for range 3 {
		check(t, w.Write(Data, []byte("a")))
	}
	if g.writes != 0 {
		t.Error("held frames were written")
	}
	check(t, w.Flush())
	check(t, w.Flush())
	check(t, w.Write(Data, []byte("b")))
	held = false
	check(t, w.Write(Data, []byte("c")))
	if got := g.payloads(t); len(got) != 5 || got[4] != "c" || g.writes != 2 {
		t.Errorf("%d writes of %q", g.writes, got)
	}
}

func TestBrokenWriterRefusesWhatFollows(t *testing.T) {
	g := newGate()
	g.err = errors.New("broken")
	w := NewFrameWriter(g)
	var all sync.WaitGroup
	all.Go(func() {
		if err := w.Write(Data, []byte("first")); !errors.Is(err, g.err) {
			t.Errorf("the first: %v", err)
		}
	})
	<-g.begun
	all.Go(func() {
		if err := w.Write(Data, make([]byte, together)); !errors.Is(err, g.err) {
			t.Errorf("one that waited: %v", err)
		}
	})
	close(g.goOn)
	all.Wait()
	if err := w.Flush(); !errors.Is(err, g.err) {
		t.Errorf("afterwards: %v", err)
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
}
