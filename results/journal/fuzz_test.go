package journal

import (
	"bytes"
	"errors"
	"reflect"
	"testing"

	"mpf/results/fsys"
)

// FuzzFrame wants a frame that is read to be written back as the same bytes.
func FuzzFrame(f *testing.F) {
	b, _, _ := appendFrame(nil, 17, 0x1b2c3d4e, []byte(`[{"event":"CLOSE"}]`))
	f.Add(b)
	f.Add(bytes.Replace(b, []byte("17"), []byte("017"), 1))
	f.Add([]byte(`{"n":1,"len":99999999,"prev":"00000000","crc":"00000000","e":[]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		parsed, err := parseFrame(b)
		if err != nil {
			return
		}
		again, crc, start := appendFrame(nil, parsed.n, parsed.prev, parsed.events)
		if !bytes.Equal(again, b[:parsed.size]) || crc != parsed.crc || start != parsed.start {
			t.Errorf("read %q, wrote %q", b[:parsed.size], again)
		}
		if findFrame(b) != 0 {
			t.Error("a frame that is there is not found")
		}
	})
}

// FuzzEvent wants what is read to be written and read again as the same.
func FuzzEvent(f *testing.F) {
	for _, s := range shapes {
		event, seed := s.make(), 0
		fill(reflect.ValueOf(event).Elem(), &seed)
		text, err := appendEvent(nil, event)
		must(f, err)
		f.Add(text)
	}
	f.Add([]byte(`{"event":"DONE","done":{"results":{"x":{"f":"NaN"},"x":{"l":[null,{"l":[]}]}}}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		event, err := parseEvent(b)
		if err != nil {
			return
		}
		text, err := appendEvent(nil, event)
		if errors.Is(err, ErrTooLong) {
			return
		}
		must(t, err)
		again, err := parseEvent(text)
		must(t, err)
		if more, err := appendEvent(nil, again); err != nil || !bytes.Equal(text, more) {
			t.Errorf("read %q, wrote %q, then %q, %v", b, text, more, err)
		}
	})
}

// FuzzPlan wants a plan that is read to be written and read again as the same.
func FuzzPlan(f *testing.F) {
	f.Add([]byte(`{"number":1,"experiment":{"name":"x","variables":[{"name":"v","levels":[{"label":"1","value":{"i":"1"}}]}]}}`))
	f.Add([]byte(`{"experiment":{"partial":{"n":3},"deployments":[{"packages":{"apt":["gcc"]}}]}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		plan, err := DecodePlan(b)
		if err != nil {
			return
		}
		plan.SHA256 = ""
		text, err := EncodePlan(plan)
		must(t, err)
		again, err := DecodePlan(text)
		must(t, err)
		if more, err := EncodePlan(again); err != nil || !bytes.Equal(text, more) {
			t.Errorf("wrote %s, then %s, %v", text, more, err)
		}
	})
}

// FuzzSegment opens a journal whose last segment is anything: it is refused or
// gone on with, and then it can be opened again.
func FuzzSegment(f *testing.F) {
	tree := testJournal(f, 1, 1, true)
	whole := read(f, tree, segmentName(1))
	f.Add(whole)
	f.Add(whole[:len(whole)-1])
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		tree := newTree(t)
		must(t, fsys.MakeDir(tree, Dir))
		overwrite(t, tree, segmentName(1), b)
		j, err := Open(tree, Config{Now: clock})
		if err != nil {
			var damage *Damage
			if !errors.As(err, &damage) {
				t.Fatal(err)
			}
			_, err = Repair(tree)
			must(t, err)
			j = openTest(t, tree)
		}
		n := j.Summary().N
		must(t, j.Commit(&Decided{}))
		must(t, j.Close())
		again, err := Read(tree)
		must(t, err)
		if got := again.Summary().N; got != n+2 {
			t.Errorf("%d frames, after going on with OPEN and one event %d", n, got)
		}
	})
}
