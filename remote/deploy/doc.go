// Package deploy puts software on hosts before their runs: native packages that
// are missing, a folder or a revision of a git repository, and what its build
// commands make of it.
//
// Words: the source is staged on the controller as it will be on the hosts; its
// key is the hash of all that a build depends on: content, commands, packages
// and the levels of the variables that it is per. A build lies in
// ~/.cache/mpf/deploy/KEY and is complete once KEY.done stands beside it.
//
// Invariant: a build that is complete is never made again or changed, and one
// that is not is begun afresh; so unchanged inputs rebuild nothing, whichever
// campaign asked first. A source is staged once per campaign: edits made
// meanwhile wait for the next. Git repositories are fetched by the controller,
// so that hosts need neither git nor credentials; the exact commit is told, and
// a work tree that differs from it is called dirty.
//
// It deliberately fetches no submodules (it warns of them), uninstalls no
// package, and knows only apt and dnf.
package deploy
