// Package remotetest makes hosts for tests: a real sshd on loopback, machines of
// their own in namespaces, and a proxy that counts, delays, cuts and swallows.
//
// Invariant: what a fixture made is gone when its test ends, and two tests that
// run at once never meet: ports, folders, namespaces and addresses are drawn,
// not fixed. SSH is never replaced by something that is like it.
package remotetest
