// Package record holds the nouns that the journal and the tables share: what
// was planned and how each attempt ended. It is the only thing that the two
// rooms know of each other.
//
// It deliberately reads and writes nothing.
package record

import (
	"fmt"
	"iter"

	"mpf/engine"
)

// A Plan is a design frozen with the hash of its sources. Treatments of the
// attempts made under it index its variables.
type Plan struct {
	Number     int               // from 1
	Reason     string            // "new", "extend" or "script"
	MPF        string            // version
	Experiment engine.Experiment // without functions: steps keep name, role and digest
	Treatments uint64
	Runs       int64
	Cluster    string // the cluster file's text, or empty
	SHA256     string // of the plan file
}

// An Attempt is a closed attempt of a run.
type Attempt struct {
	Sequence   int64 // of its DONE among all, from 1
	Plan       int
	Invocation int // from 1
	Start      engine.Start
	Done       engine.Done
	Files      []File
}

// A File belongs to an attempt; Path is relative to the attempt's folder.
type File struct {
	Path   string
	Size   int64
	SHA256 string
	Rows   int64 // of a sample segment
}

// A Reboot is that of a host which an attempt was lost on, as it became known
// after the attempt was closed.
type Reboot struct {
	Run     engine.RunID
	Attempt int
	Host    string
}

// A Source gives what a campaign's record holds. Attempts come in the order in
// which they were closed; a Source may be walked several times.
type Source interface {
	Plans() []Plan
	Attempts() iter.Seq2[*Attempt, error]
	// AttemptDir returns the folder of an attempt, relative to the campaign's.
	AttemptDir(run engine.RunID, attempt int) string
}

// DeployedDir is the folder, relative to the campaign's, of what was deployed
// under a plan: NNNN.json describes a source, NNNN.tar.gz holds it. The numbers
// count up over all plans.
func DeployedDir(plan int) string { return fmt.Sprintf("inputs/%04d/deployed", plan) }

// Opaque stands in a plan that was read back for the value of a level that is
// not plain. Such a level is known by its label alone.
type Opaque struct{}
