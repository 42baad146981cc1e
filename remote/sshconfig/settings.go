package sshconfig

import (
	"time"

	"mpf/engine"
)

// Settings are what the configuration makes of a destination. Paths are whole.
type Settings struct {
	Alias    string // the destination as it was given
	HostName string
	Port     string
	User     string

	AddressFamily string // any, inet or inet6
	BindAddress   string // where connections come from, or empty
	BindInterface string // whose address is that, or empty

	IdentityFiles    []string
	IdentitiesGiven  bool // IdentityFiles were configured: they are not the defaults
	CertificateFiles []string
	IdentitiesOnly   bool
	IdentityAgent    string // a socket; empty: none

	HostKeyAlias string   // looked up in known_hosts in place of the address, or empty
	KnownHosts   []string // the user's files first: new keys go into the first one

	RevokedHostKeys []string // files of keys that are refused
	RequiredRSASize int      // bits that a key has to have; 0: as many as the library wants

	KexAlgorithms            Algorithms
	HostKeyAlgorithms        Algorithms
	Ciphers                  Algorithms
	MACs                     Algorithms
	PubkeyAcceptedAlgorithms Algorithms
	CASignatureAlgorithms    Algorithms

	Jumps          []Jump // hops on the way, in order
	ConnectTimeout time.Duration

	Warnings []engine.Mistake
}

// A Jump is a hop. Its own settings are those of its Host as a destination.
type Jump struct {
	User, Host, Port string
}

// first holds, per word, the first value that matched.
type first struct {
	args []string
	pos  engine.Pos
}

// found is what matched, before tokens are put in.
type found struct {
	values       map[string]first
	identities   []located
	certificates []located
	warnings     []engine.Mistake
}

// A located is a text and the place where it is written.
type located struct {
	text string
	pos  engine.Pos
}
