// Package launch starts mpf's agent on a host that sshd serves, and puts it
// there first where it is missing.
//
// The agent lies in ~/.cache/mpf/agent-<sha256>, a folder of mode 0700 that the
// user who logs in owns. One session looks for it and becomes it; only where it
// is missing does a second one, of sftp, send it, and a third start it.
//
// Invariant: the name of the file is the hash of its content. It comes into
// being under another name, is complete and on the disk before it gets its own,
// and is never written again; agents of other versions go then. The one line of
// shell that is composed holds hexadecimal digits and words that the cluster
// file was checked for, nothing else.
//
// It deliberately looks at nothing else on the host.
package launch
