package remote

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"mpf/engine"
	"mpf/remote/agentbin"
	"mpf/remote/client"
	"mpf/remote/command"
	"mpf/remote/inventory"
	"mpf/remote/launch"
	"mpf/remote/sshconfig"
)

// ways makes the transports of a cluster. OpenSSH's configuration is read once,
// and only where a host is reached by ssh.
type ways struct {
	cluster *inventory.Cluster
	options Options
	dialer  *client.Dialer
	agents  agentbin.Finder

	lock sync.Mutex
	said []string
}

func newWays(c *inventory.Cluster, o Options) (*ways, error) {
	var err error
	if o.Link.Lease == 0 {
		o.Link.Lease = c.Lease
	}
	if o.Link, err = o.Link.withDefaults(); err != nil {
		return nil, err
	}
	w := &ways{cluster: c, options: o}
	if !slices.ContainsFunc(c.Hosts, func(h inventory.Host) bool { return h.Way == inventory.BySSH }) {
		return w, nil
	}
	me, err := localUser()
	if err != nil {
		return nil, err
	}
	config, err := sshconfig.Load(me, atHome(me.Home, c.SSH.Config))
	if err != nil {
		return nil, engine.Mistake{Message: fmt.Sprintf("OpenSSH's configuration: %v", err), Hint: "see ssh.config in the cluster file"}
	}
	w.dialer = &client.Dialer{
		Config:     config,
		KnownHosts: atHome(me.Home, c.SSH.KnownHosts),
		AcceptNew:  c.SSH.AcceptNew || o.AcceptNew,
		Patience:   o.Link.GiveUp,
	}
	return w, nil
}

func localUser() (sshconfig.User, error) {
	me, err := user.Current()
	if err != nil {
		return sshconfig.User{}, err
	}
	home, err := os.UserHomeDir()
	if err != nil {
		home = me.HomeDir
	}
	name, err := os.Hostname()
	return sshconfig.User{
		Name: me.Username, ID: me.Uid, Home: home, Hostname: name, Getenv: os.Getenv, LookupCNAME: net.DefaultResolver.LookupCNAME,
	}, err
}

func atHome(home, path string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		return filepath.Join(home, rest)
	}
	return path
}

func (w *ways) transport(ctx context.Context, h inventory.Host) (Transport, error) {
	switch h.Way {
	case inventory.BySSH:
		return w.launcher(ctx, h)
	case inventory.ByLocal:
		return Local{command.Local{Prefix: prefix(h)}}, nil
	case inventory.ByExec:
		return Via{command.Via{Argv: append(slices.Clone(h.Exec), prefix(h)...), Find: w.agents.Find}}, nil
	}
	return nil, fmt.Errorf("no way to a host by %s", h.Way)
}

// prefix is what the agent of a host is started through: another user, a network
// namespace, a CPU set, in the order in which they are allowed. The inventory
// checked that a shell reads none of the words otherwise.
func prefix(h inventory.Host) []string {
	argv := becoming(h)
	if h.Namespace != "" {
		argv = append(argv, "ip", "netns", "exec", h.Namespace)
	}
	if h.CPUs != "" {
		argv = append(argv, "taskset", "-c", h.CPUs)
	}
	return argv
}

// becoming is what makes a command of the one that logs in one of root's.
func becoming(h inventory.Host) []string {
	if h.Become == "" {
		return nil
	}
	return []string{"sudo", "-n", "-u", h.Become, "--"}
}

func (w *ways) launcher(ctx context.Context, h inventory.Host) (sshTransport, error) {
	to := client.Destination{User: h.SSH.User, Host: h.SSH.Host, Port: h.SSH.Port}
	hops, err := w.dialer.Hops(ctx, to)
	if err != nil {
		return sshTransport{}, err
	}
	for _, hop := range hops {
		for _, warning := range hop.Warnings {
			w.say(warning.Error())
		}
	}
	return sshTransport{user: hops[len(hops)-1].User, Launcher: &launch.Launcher{
		Dialer: w.dialer, Destination: to, Prefix: prefix(h), Find: w.agents.Find,
	}}, nil
}

// sshTransport gives a launcher's streams the type of this package.
type sshTransport struct {
	*launch.Launcher
	user string
}

// User is who logs in.
func (t sshTransport) User() string { return t.user }

func (t sshTransport) Dial(ctx context.Context) (Stream, error) {
	stream, err := t.Launcher.Dial(ctx)
	if err != nil {
		return nil, err
	}
	return stream, nil
}

var _ VerifiedStream = (*launch.Stream)(nil)

func (w *ways) say(text string) {
	w.lock.Lock()
	defer w.lock.Unlock()
	if !slices.Contains(w.said, text) {
		w.said = append(w.said, text)
	}
}

func (w *ways) warnings() []string {
	w.lock.Lock()
	defer w.lock.Unlock()
	slices.Sort(w.said)
	return w.said
}

func (w *ways) spec(ctx context.Context, h inventory.Host) HostSpec {
	parts := w.partsOf(w.machineOf(h))
	return HostSpec{
		Name: h.Name, Address: w.address(ctx, h), Interfaces: h.InterfaceAddresses(), Tags: h.Tags,
		Shared:  w.options.Shared || slices.ContainsFunc(parts, func(p inventory.Host) bool { return p.Shared }),
		Covered: parts[0].Name != h.Name, Tools: w.options.Tools,
	}
}

// machineOf names the host that is reached by itself, of which h is a part.
func (w *ways) machineOf(h inventory.Host) string {
	for h.Of != "" {
		h, _ = w.cluster.Host(h.Of) // the inventory checked that it is there
	}
	return h.Name
}

// partsOf lists the hosts of a machine that are reached.
func (w *ways) partsOf(machine string) (parts []inventory.Host) {
	for _, h := range w.options.chosen(w.cluster) {
		if w.machineOf(h) == machine {
			parts = append(parts, h)
		}
	}
	return parts
}

// address is where other hosts reach a host of which the cluster file does not
// say it.
func (w *ways) address(ctx context.Context, h inventory.Host) string {
	switch {
	case h.Address != "":
		return h.Address
	case h.Namespace != "" && len(h.Interfaces) > 0:
		return h.Interfaces[0].Address
	case h.Way == inventory.ByLocal:
		return "127.0.0.1"
	case h.Way == inventory.BySSH:
		if s, err := w.dialer.Settings(ctx, client.Destination{User: h.SSH.User, Host: h.SSH.Host, Port: h.SSH.Port}); err == nil {
			return s.HostName
		}
	case len(h.Interfaces) > 0:
		return h.Interfaces[0].Address
	}
	return h.Name
}
