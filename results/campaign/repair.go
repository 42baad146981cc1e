package campaign

import (
	"errors"

	"mpf/results/journal"
	"mpf/results/lock"
)

// Repair keeps the record of a campaign up to the first damage and puts the
// rest aside. It returns nil if there is no damage. What it gives up is lost:
// the user must have accepted that.
func Repair(dir string, config Config) (loss *journal.Loss, err error) {
	tree, err := openTree(dir, config)
	if err != nil {
		return nil, err
	}
	c := &Campaign{dir: dir, tree: tree, config: config.withDefaults()}
	defer func() { err = explain(dir, errors.Join(err, c.release())) }()
	if c.lock, err = lock.Take(tree, c.config.Clock.Now()); err != nil {
		return nil, err
	}
	return journal.Repair(tree)
}
