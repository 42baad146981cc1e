// Package starlib is the language of experiment files: it loads a file into an
// engine.Experiment.
//
// A file declares while it is loaded and acts while runs are executed. The
// builtins of load time only note down; what they noted is checked and resolved
// once the file has ended, so that names may be used before they are declared
// and all mistakes of a file are found at once.
//
//	starlib/source   files beside the experiment, safely
//	starlib/code     their syntax: mistakes, and what a function uses
//	starlib/format   their one layout
//	starlib/declare  what is called at load time
//	starlib/naming   how names are written
//	starlib/flags    values of a file's own flags
//	starlib/lint     what in a step cannot go well
//	starlib/shell    names that a script of sh lacks
//	starlib/script   documented builtins, bounded calls, places in files
//	starlib/convert  values and typed parameters
//	starlib/modules  json, math, re, struct
//	starlib/act      steps, ctx, commands
//	starlib/analyse  analysis files: rows, tables, checks
//
// Invariant: Load runs nothing on any host, ends within its bounds of steps and
// time, and what it returns is frozen: steps and predicates may be called from
// any goroutine.
//
// Not bounded is what a single operation takes: a text times a large number may
// need a gigabyte, and arithmetic on huge integers goes on behind a Load that
// has given up waiting. A limit on the process is the only one that is hard.
//
// It deliberately knows no cluster, no record and no order of runs.
package starlib
