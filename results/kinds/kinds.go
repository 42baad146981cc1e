// Package kinds watches the types of results while they come in: a result whose
// values do not join in one column is warned of where it happens.
//
// It deliberately changes no value: the record keeps them as they are.
package kinds

import (
	"fmt"
	"sync"

	"mpf/engine"
	"mpf/results/columns"
)

// Kinds knows of which kinds the values of each result were so far.
type Kinds struct {
	lock  sync.Mutex
	known map[string]*kindsOf
}

// kindsOf is what one result had.
type kindsOf struct {
	mix   columns.Mix
	typ   columns.Type
	since engine.RunID // that it has this type
}

// Note takes in the results of a run and warns of those that do not join what
// the result had before: their column becomes text.
func (k *Kinds) Note(run engine.RunID, results engine.Results) (warnings []engine.Warning) {
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
				Code: columns.MixedTypes, Text: fmt.Sprintf("result %q was %s in run %s, is %s here: its column becomes text", r.Name, was.typ, was.since, here),
			})
		case !mixed && joined != was.typ:
			was.typ, was.since = joined, run
		}
	}
	return warnings
}
