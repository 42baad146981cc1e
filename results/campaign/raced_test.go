//go:build race

package campaign

// raced says that the race detector is on.
const raced = true
