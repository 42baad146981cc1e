package journal

import (
	"iter"

	"mpf/engine"
	"mpf/results/exact"
	"mpf/results/record"
)

// A Left is what a closed attempt left beside its row: files, or the one that
// names them. It is read of an Ended, whose fields are in the same order.
type Left struct {
	Run     engine.RunID
	Attempt int
	Nonce   exact.Passed
	Done    exact.Passed
	Files   []record.File
	Spilled *record.File
}

var leftForm = exact.StructOf[Left]()

// Left walks over what the closed attempts left that are durable when it begins,
// in the order of their DONE. Every frame is checked, but of its events no more
// is read than that, and nothing of a segment in which nothing was left.
func (j *Journal) Left() iter.Seq2[Left, error] {
	return func(yield func(Left, error) bool) {
		w := walk{tree: j.tree}
		for _, seg := range j.durableSegments() {
			if seg.sha256 != "" && seg.left == 0 {
				continue
			}
			goOn, err := w.segment(seg, func(events []byte) (bool, error) { return w.left(events, yield) })
			if err != nil {
				yield(Left{}, err)
			}
			if err != nil || !goOn {
				return
			}
		}
	}
}

// left yields what the events of a frame say was left.
func (w *walk) left(events []byte, yield func(Left, error) bool) (goOn bool, err error) {
	d := &w.decoder
	d.Reset(events)
	d.Expect('[')
	for first := true; d.Another(']', first); first = false {
		if !d.Literal(`{"event":"DONE"`) {
			d.Expect('{')
			d.PassRest()
			continue
		}
		var left Left
		if d.Members(leftForm, &left); d.Err() == nil && !yield(left, nil) {
			return false, nil
		}
	}
	return true, d.End()
}
