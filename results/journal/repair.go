package journal

import (
	"errors"
	"fmt"
	"io/fs"

	"mpf/engine"
	"mpf/results/fsys"
)

// Verify reads every frame of a journal. It returns a Damage, or how many bytes
// at the end were cut off by a crash.
func Verify(tree fsys.FS) (torn int, err error) {
	l := loader{tree: tree, doubt: true}
	err = l.load()
	return len(l.torn), err
}

// A Loss is what a repair could not keep.
type Loss struct {
	Damage *Damage
	Aside  []string       // files that hold what was there
	Runs   []engine.RunID // whose rows lay behind the damage and can be told
}

// Repair keeps the frames before the first damage and puts the files from there
// on aside. It returns nil for a journal that is whole. The caller holds the
// lock and has been told to accept the loss.
func Repair(tree fsys.FS) (*Loss, error) {
	l := loader{tree: tree, doubt: true}
	err := l.load()
	if err == nil {
		return nil, nil
	}
	loss := &Loss{}
	if !errors.As(err, &loss.Damage) {
		return nil, err
	}
	number, ok := segmentOf(loss.Damage.File)
	if !ok {
		return nil, err
	}
	numbers, err := allSegments(tree)
	if err != nil {
		return nil, err
	}
	for i := len(numbers) - 1; i >= 0 && numbers[i] >= number; i-- {
		if err := loss.putAside(tree, numbers[i], number); err != nil {
			return nil, err
		}
	}
	return loss, tree.SyncDir(Dir)
}

// putAside moves a segment out of the way, except for what precedes the damage.
func (l *Loss) putAside(tree fsys.FS, number, damaged int) error {
	name := segmentName(number)
	b, err := fsys.ReadFile(tree, name, maxDamaged)
	if err != nil {
		return err
	}
	aside, err := freeName(tree, name+".damaged")
	if err != nil {
		return err
	}
	l.Aside = append(l.Aside, aside)
	if err := fsys.RemoveTree(tree, indexName(number)); err != nil {
		return err
	}
	if number > damaged {
		l.Runs = append(endedIn(b), l.Runs...)
		return tree.Rename(name, aside)
	}
	l.Runs = append(endedIn(b[l.Damage.Offset:]), l.Runs...)
	if err := fsys.WriteFile(tree, aside, b); err != nil {
		return err
	}
	return fsys.WriteFile(tree, name, b[:l.Damage.Offset])
}

// maxDamaged bounds the size of a damaged segment that is read.
const maxDamaged = 1 << 30

// freeName returns a name that is not taken.
func freeName(tree fsys.FS, name string) (string, error) {
	for i := 1; ; i++ {
		free := fmt.Sprintf("%s-%d", name, i)
		if _, err := tree.Lstat(free); errors.Is(err, fs.ErrNotExist) {
			return free, nil
		} else if err != nil {
			return "", err
		}
	}
}

// endedIn lists the runs with a DONE in the frames that can be found in b.
func endedIn(b []byte) []engine.RunID {
	var runs []engine.RunID
	for {
		at := findFrame(b)
		if at < 0 {
			return runs
		}
		f, _ := parseFrame(b[at:]) // as findFrame did
		events, _ := parseEvents(f.events)
		for _, p := range events {
			if ended, ok := p.event.(*Ended); ok {
				runs = append(runs, ended.Run)
			}
		}
		b = b[at+f.size:]
	}
}
