package inventory

import (
	"slices"
	"time"

	"mpf/engine"
)

// A Cluster is what a cluster file says, in the order of the file.
type Cluster struct {
	Path   string // of the file; empty: this machine plays every role
	Source []byte // of the file
	SSH    SSH
	Hosts  []Host
	Roles  []Members
	Links  []Link
	Groups []Members
	Tune   []Setting     // of every host
	Lease  time.Duration // a host that hears nothing for so long ends what it runs; 0 is the default
}

// SSH is what the cluster file sets for all connections.
type SSH struct {
	Config     string // read in place of ~/.ssh/config, or empty
	KnownHosts string // read in place of the files that OpenSSH reads, or empty
	AcceptNew  bool   // take and note the key of a host never seen before
}

// A Host is one host of a cluster and the way to it.
type Host struct {
	Name       string
	Way        Way
	SSH        Destination // of way BySSH
	Exec       []string    // of way ByExec: gives a byte stream to the host
	Of         string      // the host whose namespace or CPU set it is, or empty
	Namespace  string      // network namespace in which all its commands run
	CPUs       string      // CPU set on which all its commands run: "0-3,8"
	Become     string      // "root": the agent becomes it through sudo; or empty
	Address    string      // where other hosts reach it; empty: its ssh destination
	Interfaces []Interface
	Tags       []string
	Shared     bool      // other campaigns may use it at the same time
	Tune       []Setting // beside the cluster's
	Pos        engine.Pos
}

// A Way is how a host is reached. A host that is part of another has the way
// of that one.
type Way string

const (
	BySSH   Way = "ssh"
	ByExec  Way = "exec"
	ByLocal Way = "local"
)

// A Destination is where ssh goes. Host may be an alias of OpenSSH's
// configuration; User and Port are empty where that decides.
type Destination struct {
	User, Host, Port string
}

// An Interface is a named address of a host.
type Interface struct {
	Name    string
	Address string
	Prefix  string // length of the network's: the address is set for a campaign; or empty
	Device  string // its name in the kernel; empty: found by the address
	Pos     engine.Pos
}

// Members are the hosts of a role or of a group.
type Members struct {
	Name  string
	Hosts []string
	Pos   engine.Pos
}

// A Link joins two interfaces. Delay, Rate and Loss are words of tc, put on what
// leaves either end during a campaign; empty: left alone.
type Link struct {
	Name              string
	Ends              [2]End
	Delay, Rate, Loss string
	Pos               engine.Pos
}

// An End is an interface of a host.
type End struct {
	Host, Interface string
}

// A Setting is a knob of a machine that is turned for a campaign and put back
// afterwards. The name of a sysctl has a dot in it, those of others have none.
type Setting struct {
	Name, Value string
	Optional    bool // a host that does not have it is measured all the same
	Pos         engine.Pos
}

// LocalHost is the name of the host of a cluster without a file.
const LocalHost = "localhost"

// Local is the cluster of those who have no cluster file: this machine, which
// plays every role.
func Local() *Cluster {
	return &Cluster{Hosts: []Host{{Name: LocalHost, Way: ByLocal, Address: "127.0.0.1"}}}
}

// Host returns the host of that name.
func (c *Cluster) Host(name string) (Host, bool) {
	for _, h := range c.Hosts {
		if h.Name == name {
			return h, true
		}
	}
	return Host{}, false
}

// Link returns the link of that name, its ends with the addresses of their
// interfaces.
func (c *Cluster) Link(name string) (engine.Link, bool) {
	for _, l := range c.Links {
		if l.Name == name {
			return engine.Link{Name: name, Ends: [2]engine.LinkEnd{c.end(l.Ends[0]), c.end(l.Ends[1])}}, true
		}
	}
	return engine.Link{}, false
}

func (c *Cluster) end(e End) engine.LinkEnd {
	end := engine.LinkEnd{Host: e.Host, Interface: e.Interface}
	if h, ok := c.Host(e.Host); ok {
		end.Address = h.InterfaceAddresses()[e.Interface]
	}
	return end
}

// Shaped reports whether something is put on the link's ends.
func (l Link) Shaped() bool { return l.Delay != "" || l.Rate != "" || l.Loss != "" }

// TuneOf lists what is tuned on a host: what is said of it, and what is said of
// all hosts where that is not.
func (c *Cluster) TuneOf(h Host) []Setting { return beside(h.Tune, c.Tune) }

// beside adds to settings those of others that they do not name.
func beside(own, others []Setting) []Setting {
	all := slices.Clone(own)
	for _, s := range others {
		if !slices.ContainsFunc(own, func(o Setting) bool { return o.Name == s.Name }) {
			all = append(all, s)
		}
	}
	return all
}

// InterfaceAddresses maps the names of the host's interfaces to addresses.
func (h Host) InterfaceAddresses() map[string]string {
	addresses := make(map[string]string, len(h.Interfaces))
	for _, i := range h.Interfaces {
		addresses[i.Name] = i.Address
	}
	return addresses
}
