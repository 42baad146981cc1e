package campaign

import (
	"fmt"
	"sync"

	"mpf/engine"
	"mpf/results/columns"
)

// kinds knows of which kinds the values of each result were so far.
type kinds struct {
	lock  sync.Mutex
	known map[string]*kindsOf
}

// kindsOf is what one result had.
type kindsOf struct {
	mix   columns.Mix
	typ   columns.Type
	since engine.RunID // that it has this type
}

// enoughToKnow is how many earlier attempts tell of the kinds.
const enoughToKnow = 64

// recallKinds takes up the results of the first attempts.
func (c *Campaign) recallKinds() error {
	n := 0
	for a, err := range c.Attempts() {
		if err != nil {
			return err
		}
		c.kinds.note(a.Start.Run.ID, a.Done.Results)
		if n++; n == enoughToKnow {
			break
		}
	}
	return nil
}

// note takes in the results of a run and warns of those that do not join what
// the result had before: their column becomes text.
func (k *kinds) note(run engine.RunID, results engine.Results) (warnings []engine.Warning) {
	k.lock.Lock()
	defer k.lock.Unlock()
	if k.known == nil {
		k.known = map[string]*kindsOf{}
	}
	for _, r := range results {
		v := &columns.Vector{}
		v.Add(r.Value)
		var own columns.Mix
		own.Add(v, 0)
		if own.Empty() {
			continue
		}
		here, _ := own.Type()
		was := k.known[r.Name]
		if was == nil {
			k.known[r.Name] = &kindsOf{own, here, run}
			continue
		}
		_, mixedBefore := was.mix.Type()
		was.mix.Join(own)
		joined, mixed := was.mix.Type()
		switch {
		case mixed && (!mixedBefore || here != was.typ):
			warnings = append(warnings, engine.Warning{
				Code: "mixed-types", Text: fmt.Sprintf("result %q was %s in run %s, is %s here: its column becomes text", r.Name, was.typ, was.since, here),
			})
		case !mixed && joined != was.typ:
			was.typ, was.since = joined, run
		}
	}
	return warnings
}
