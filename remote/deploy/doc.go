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
// a work tree that differs from it is called dirty. What a record carries of a
// source is deployed as it was, or not at all.
//
// A build whose commands failed is not made again in the same campaign. Hosts
// with one home take turns in it: the first builds for all.
//
// It deliberately leaves out empty folders, .git and campaigns that lie in a
// source; it fetches no submodules (it warns of them), uninstalls no
// package, and knows only apt and dnf.
package deploy
