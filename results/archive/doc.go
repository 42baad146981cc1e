// Package archive makes one file of a campaign's directory, for a repository of
// data or for those who judge an artifact, and checks and unpacks it again.
//
// Before the campaign's files stand ro-crate-metadata.json, which describes
// them to programs that know RO-Crate, and SHA256SUMS, which sha256sum checks.
//
// Invariant: the same directory gives the same bytes, on every machine and at
// every time. Locks, reserves and unfinished files are left out.
//
// It deliberately knows no journal: that the record is sound is checked on the
// directory that Extract makes.
package archive
