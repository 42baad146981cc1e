// Package sshconfig reads OpenSSH's client configuration as far as it says where
// a host is and who may log in: Host and Match blocks, Include, HostName,
// Port, User, IdentityFile, CertificateFile, IdentitiesOnly, IdentityAgent,
// HostKeyAlias, UserKnownHostsFile, GlobalKnownHostsFile, RevokedHostKeys,
// ProxyJump and ConnectTimeout, with their tokens, where connections come from,
// which names are made whole, and the lists of algorithms. The first value that matches wins, as ssh(1) has it; `ssh -G` is
// the judge in the tests, and docs/ssh.md says what each word does.
//
// Words: a destination is what would be given to ssh; the settings are all that
// the configuration makes of it.
//
// Invariant: nothing that would change where a connection goes or whom it
// trusts is skipped in silence. ProxyCommand on a matching host is an error;
// criteria of Match and words that are not known here are warnings, said once
// each. A laxer StrictHostKeyChecking is a warning and has no effect. Nothing is
// executed.
//
// It is deliberately not made of a library: those at hand drop Match blocks or
// fail on them, and leave tokens and the order of included files to the caller.
package sshconfig
