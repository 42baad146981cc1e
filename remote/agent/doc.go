// Package agent is the program that acts on a host for a controller.
//
// It consists of two processes. The guard is started by the transport; it starts
// the worker, which runs commands, reads counters and moves files, and speaks
// with the controller over the stdin and stdout that both inherited. Both are
// reapers of what their descendants leave behind, so that nothing started on the
// host escapes: the worker kills what an attempt started when it ends, the guard
// what the worker started when it dies.
//
// Words: a workspace is an attempt's part on this host; a process is a command in
// it; a stray is a process of an attempt that no command of it waits for; a sweep
// looks for processes by the tag that every one of them carries in its
// environment.
//
// Invariant: the agent ends soon after its controller, and nothing that it
// started outlives it, save what the kernel or another user's rights keep alive,
// and that is named.
//
// It deliberately keeps nothing: files of an attempt go with the attempt, and
// what is to last is sent to the controller. It imports neither the engine nor
// the language, because it is sent to every host. It runs on Linux only.
package agent
