// Package traces knows what mpf leaves on a host, and removes it.
//
// A trace is a folder: the agents that were sent, the folders of runs, and what
// agents note for each other. The script that removes traces is one line of sh,
// without a character that any login shell reads otherwise than sh within
// single quotes, so that every transport can carry it.
//
// Invariant: a folder in which an agent lives stays, and so does what belongs to
// somebody else.
//
// It deliberately leaves the host's lock alone: a campaign may hold it, and a
// lock file that is removed protects nobody.
package traces
