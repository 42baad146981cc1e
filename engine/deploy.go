package engine

import "context"

// A Deployer puts software on hosts. Inputs that did not change since it was
// last asked rebuild nothing.
type Deployer interface {
	// Deploy prepares hosts, all at once, for the runs in which the variables
	// that d.Per lists have these labels, in the order of d.Per.
	Deploy(ctx context.Context, d Deployment, hosts []Host, labels []string) (Deployed, error)
}

// Deployed says what a deployment put on its hosts.
type Deployed struct {
	Role     string
	Dir      string // on the hosts, where the software lies
	Revision string // the exact commit, or the content's hash
	Dirty    bool   // a work tree with changes that no commit has
	Rebuilt  bool
	Warnings []Warning
	Source   string // as the experiment names it
	SHA256   string // of the names, modes and contents of what was sent
}
