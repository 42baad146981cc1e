// Package hostkeys decides whether a server is the host that it should be, by
// OpenSSH's known_hosts files.
//
// Words: a host is known if one of its keys, or an authority for it, is in the
// files; its key has changed if it is known by others only.
//
// Invariant: a connection is made to a known key, or to one that a known
// authority signed, and to nothing else. A changed or revoked key is refused
// under every setting, and any key while a list of revoked ones cannot be read. AcceptNew takes the key of a host that is not known at
// all, and notes it under a lock before the connection goes on.
//
// Lines that cannot be read are skipped, as ssh does: they can only make fewer
// hosts known. Algorithms asks the server for a kind of key that is known, so
// that a server with further kinds of key does not look like another machine.
//
// It deliberately asks nobody anything and reads no DNS.
package hostkeys
