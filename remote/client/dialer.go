package client

import (
	"context"
	"fmt"
	"net"
	"time"

	"golang.org/x/crypto/ssh"

	"mpf/remote/hostkeys"
	"mpf/remote/sshconfig"
)

// A Dialer connects to hosts. Its methods may be called from several
// goroutines; hops that several hosts share are dialled once.
type Dialer struct {
	Config     *sshconfig.Config
	KnownHosts string        // in place of the files that Config names, or empty
	AcceptNew  bool          // keys of hosts never seen before
	Patience   time.Duration // how long a connection may be silent; 0 is 45 s
	Handshake  time.Duration // how long one hop may take until it lets in; 0 is 20 s

	testOnlyLateAcks bool // the kernel acknowledges when it likes

	gates gates
	hops  shared
}

const (
	defaultPatience  = 45 * time.Second
	defaultHandshake = 20 * time.Second
)

// Settings are those of a destination, as the configuration has them.
func (d *Dialer) Settings(ctx context.Context, to Destination) (sshconfig.Settings, error) {
	return d.Config.Resolve(ctx, to.Host, to.User, to.Port)
}

// Hops are the settings of every hop to a destination, itself the last.
func (d *Dialer) Hops(ctx context.Context, to Destination) ([]sshconfig.Settings, error) {
	return route(ctx, d.Config, to)
}

// Dial connects to a destination through all hops before it.
func (d *Dialer) Dial(ctx context.Context, to Destination) (*Conn, error) {
	hops, err := d.Hops(ctx, to)
	if err != nil {
		return nil, err
	}
	return d.through(ctx, hops)
}

// through connects to the last of hops. The way to it is shared with whoever
// else goes there.
func (d *Dialer) through(ctx context.Context, hops []sshconfig.Settings) (*Conn, error) {
	last := hops[len(hops)-1]
	if len(hops) == 1 {
		return d.knock(ctx, last, nil)
	}
	way, err := d.hops.take(ctx, name(hops[:len(hops)-1]), func(ctx context.Context) (*Conn, error) {
		return d.through(ctx, hops[:len(hops)-1])
	})
	if err != nil {
		return nil, err
	}
	conn, err := d.knock(ctx, last, way.conn)
	if err != nil {
		d.hops.give(way)
		return nil, err
	}
	conn.release = func() { d.hops.give(way) }
	return conn, nil
}

// name tells ways apart.
func name(hops []sshconfig.Settings) string {
	text := ""
	for _, h := range hops {
		text += fmt.Sprintf("%s@%s:%s %s\n", h.User, h.HostName, h.Port, h.Alias)
	}
	return text
}

// knock connects to one hop, and again where the server has too many callers.
func (d *Dialer) knock(ctx context.Context, s sshconfig.Settings, before *Conn) (*Conn, error) {
	gate := d.gates.at(net.JoinHostPort(s.HostName, s.Port))
	for try := 0; ; try++ {
		if err := gate.enter(ctx); err != nil {
			return nil, d.failure(ctx, s, before, nil, err)
		}
		conn, ids, err := d.hop(ctx, s, before)
		gate.leave()
		if err == nil {
			return conn, nil
		}
		if !isBusy(err) || try == len(pauses) {
			return nil, d.failure(ctx, s, before, ids, err)
		}
		if err := pause(ctx, try); err != nil {
			return nil, d.failure(ctx, s, before, ids, err)
		}
	}
}

// hop makes one network connection and an ssh connection of it.
func (d *Dialer) hop(ctx context.Context, s sshconfig.Settings, before *Conn) (*Conn, *identities, error) {
	limit := orDefault(d.Handshake, defaultHandshake)
	met := func() {}
	if s.ConnectTimeout > 0 {
		var cancel func()
		ctx, met, cancel = meeting(ctx, s.ConnectTimeout)
		defer cancel()
		limit += s.ConnectTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	network, err := reach(ctx, s, before)
	if err != nil {
		return nil, nil, err
	}
	heard := newHearing(network)
	if d.testOnlyLateAcks {
		heard.ack = nil
	}
	stop := context.AfterFunc(ctx, func() { _ = heard.Close() })
	client, ids, err := d.authenticate(heard, s, met)
	if ids != nil {
		ids.Close()
	}
	if !stop() && err == nil {
		_ = client.Close()
		err = context.Cause(ctx)
	}
	if err != nil {
		_ = heard.Close()
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return nil, ids, err
	}
	conn := &Conn{client: client, network: heard, done: make(chan struct{})}
	go conn.watch(orDefault(d.Patience, defaultPatience))
	return conn, ids, nil
}

// meeting bounds the time until met is called. ConnectTimeout is about the
// network and the exchange of keys: whoever logs in may have to touch a token.
func meeting(ctx context.Context, limit time.Duration) (bounded context.Context, met, cancel func()) {
	bounded, end := context.WithCancelCause(ctx)
	timer := time.AfterFunc(limit, func() { end(context.DeadlineExceeded) })
	met = func() { timer.Stop() }
	return bounded, met, func() { timer.Stop(); end(context.Canceled) }
}

// reach makes the network connection, from here or from the hop before.
func reach(ctx context.Context, s sshconfig.Settings, before *Conn) (net.Conn, error) {
	addr := net.JoinHostPort(s.HostName, s.Port)
	if before != nil {
		return before.client.DialContext(ctx, "tcp", addr)
	}
	from, err := source(s)
	if err != nil {
		return nil, err
	}
	return (&net.Dialer{LocalAddr: from}).DialContext(ctx, network(s), addr)
}

// authenticate checks the server's key and logs in; met is called in between.
func (d *Dialer) authenticate(network net.Conn, s sshconfig.Settings, met func()) (*ssh.Client, *identities, error) {
	chosen, err := choose(s)
	if err != nil {
		return nil, nil, err
	}
	checker := d.checker(s, chosen)
	hostKeys, err := checker.Algorithms()
	if err != nil {
		return nil, nil, s.HostKeyAlgorithms.Located(err)
	}
	var refused error
	var ids *identities
	var wanted wants
	config := &ssh.ClientConfig{
		Config:            chosen.transport,
		User:              s.User,
		HostKeyAlgorithms: hostKeys,
		HostKeyCallback: func(name string, addr net.Addr, key ssh.PublicKey) error {
			refused = checker.Check(name, addr, key)
			met()
			return refused
		},
		Auth: []ssh.AuthMethod{ssh.PublicKeysCallback(func() ([]ssh.Signer, error) {
			ids = collect(s, chosen.logins)
			return ids.signers, nil
		})},
		AuthCallback: func(c *ssh.ClientAuthContext) (ssh.AuthMethod, error) {
			wanted = wants{c.AllowedMethods, len(c.PartialSuccessMethods) > 0}
			return nil, nil
		},
	}
	c, channels, requests, err := ssh.NewClientConn(network, net.JoinHostPort(s.HostName, s.Port), config)
	if refused != nil {
		return nil, ids, refused
	}
	if err != nil {
		return nil, ids, &loginError{err, wanted}
	}
	return ssh.NewClient(c, channels, requests), ids, nil
}

// checker decides about the key of one hop.
func (d *Dialer) checker(s sshconfig.Settings, chosen algorithms) hostkeys.Checker {
	c := hostkeys.Checker{
		HostName: s.HostName, Port: s.Port, Alias: s.HostKeyAlias, Files: s.KnownHosts, AcceptNew: d.AcceptNew,
		Allowed: chosen.hostKeys, SignedBy: chosen.authorities, Revoked: s.RevokedHostKeys, MinRSA: s.RequiredRSASize,
	}
	if d.KnownHosts != "" {
		c.Files = []string{d.KnownHosts}
	}
	return c
}

func orDefault(d, otherwise time.Duration) time.Duration {
	if d == 0 {
		return otherwise
	}
	return d
}
