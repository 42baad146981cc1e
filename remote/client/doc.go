// Package client connects to sshd: through as many hops as the configuration of
// OpenSSH names, with keys of the ssh-agent and of files, certificates among
// them, to servers whose key is known.
//
// Words: a hop is a server on the way, the last one being the host; a
// connection is one authenticated ssh connection; a session executes one
// command on it.
//
// Invariant: every hop is authenticated and its key checked by itself. Whatever
// hangs ends when its context does, or when nothing was heard for longer than
// the patience of the connection: both close the network connection below,
// because the library's calls know neither deadlines nor contexts.
//
// It deliberately forwards no agent, asks for no password, runs no program on
// the controller, and kills nothing on hosts: closing a session leaves its
// command running, so that only mpf's agent can end what it began.
package client
