package planned

import (
	"mpf/cmd/mpf/standing"
	"mpf/engine"
	"mpf/engine/design"
)

// A Plan is what is shown.
type Plan struct {
	Whole    *design.Design
	Part     *design.Design     // what is asked for of it
	Standing *standing.Standing // of the campaign, or nil: none has begun
	Groups   int                // of hosts, that execute runs at once
	First    int64              // how many of the first runs are shown
	Tree     bool               // the treatments as a tree instead
}

func (p Plan) experiment() *engine.Experiment { return p.Part.Experiment() }
