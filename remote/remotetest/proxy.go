package remotetest

import (
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A Proxy stands in front of a TCP server, counts bytes and misbehaves.
type Proxy struct {
	Addr string
	Port string

	target   string
	listener net.Listener
	passed   atomic.Int64 // bytes, both ways, all connections
	accepted atomic.Int64
	cuts     atomic.Int64
	cutAfter atomic.Int64 // bytes of one connection; 0 is never
	delay    atomic.Int64 // nanoseconds, each way
	rate     atomic.Int64 // bytes a second, each way; 0 is no limit

	lock  sync.Mutex
	hole  chan struct{} // closed while bytes pass
	pairs map[*pair]bool
	group sync.WaitGroup
}

// A pair is one connection through the proxy.
type pair struct {
	client, server net.Conn
	over           chan struct{}
	once           sync.Once

	lock   sync.Mutex
	passed int64
}

func (c *pair) isOver() bool {
	select {
	case <-c.over:
		return true
	default:
		return false
	}
}

// wait waits for no longer than the connection lives.
func (c *pair) wait(d time.Duration) {
	if d <= 0 {
		return
	}
	select {
	case <-time.After(d):
	case <-c.over:
	}
}

// take takes bytes from what may pass until the cut.
func (c *pair) take(n, cut int64) int64 {
	c.lock.Lock()
	defer c.lock.Unlock()
	if cut > 0 {
		n = max(0, min(n, cut-c.passed))
	}
	c.passed += n
	return n
}

// NewProxy starts a proxy in front of an address; it ends with the test.
func NewProxy(t testing.TB, target string) *Proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &Proxy{target: target, listener: l, Addr: l.Addr().String(), pairs: map[*pair]bool{}, hole: make(chan struct{})}
	close(p.hole)
	_, p.Port, _ = net.SplitHostPort(p.Addr)
	p.group.Go(p.serve)
	t.Cleanup(p.close)
	return p
}

// Passed counts the bytes that went through, both ways.
func (p *Proxy) Passed() int64 { return p.passed.Load() }

// Accepted counts connections.
func (p *Proxy) Accepted() int64 { return p.accepted.Load() }

// Cuts counts connections that were cut because enough had passed.
func (p *Proxy) Cuts() int64 { return p.cuts.Load() }

// CutAfter cuts each connection after so many bytes; 0 is never.
func (p *Proxy) CutAfter(n int64) { p.cutAfter.Store(n) }

// Delay holds back what passes, each way.
func (p *Proxy) Delay(d time.Duration) { p.delay.Store(int64(d)) }

// Rate bounds the bytes a second, each way and connection; 0 is no limit.
func (p *Proxy) Rate(n int64) { p.rate.Store(n) }

// BlackHole swallows nothing and passes nothing from now on: both ends see an
// open connection that is silent. Without it, what was held back passes.
func (p *Proxy) BlackHole(on bool) {
	p.lock.Lock()
	defer p.lock.Unlock()
	select {
	case <-p.hole:
		if on {
			p.hole = make(chan struct{})
		}
	default:
		if !on {
			close(p.hole)
		}
	}
}

// Reset ends every connection by RST.
func (p *Proxy) Reset() {
	p.lock.Lock()
	defer p.lock.Unlock()
	for c := range p.pairs {
		c.end(true)
	}
}

// Cut ends every connection by FIN.
func (p *Proxy) Cut() {
	p.lock.Lock()
	defer p.lock.Unlock()
	for c := range p.pairs {
		c.end(false)
	}
}

func (c *pair) end(reset bool) {
	c.once.Do(func() { close(c.over) })
	for _, conn := range []net.Conn{c.client, c.server} {
		if tcp, ok := conn.(*net.TCPConn); ok && reset {
			_ = tcp.SetLinger(0)
		}
		_ = conn.Close()
	}
}

func (p *Proxy) close() {
	_ = p.listener.Close()
	p.BlackHole(false)
	p.Cut()
	p.group.Wait()
}

func (p *Proxy) serve() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		p.accepted.Add(1)
		server, err := net.Dial("tcp", p.target)
		if err != nil {
			_ = client.Close()
			continue
		}
		c := &pair{client: client, server: server, over: make(chan struct{})}
		p.lock.Lock()
		p.pairs[c] = true
		p.lock.Unlock()
		p.group.Go(func() { p.join(c) })
	}
}

func (p *Proxy) join(c *pair) {
	var both sync.WaitGroup
	both.Go(func() { p.copy(c, c.server, c.client) })
	both.Go(func() { p.copy(c, c.client, c.server) })
	both.Wait()
	p.lock.Lock()
	delete(p.pairs, c)
	p.lock.Unlock()
	c.end(false)
}

// A piece is data on its way, and when it arrives.
type piece struct {
	data []byte
	due  time.Time
}

// copy passes bytes one way until either end closes or the cut is due.
func (p *Proxy) copy(c *pair, to, from net.Conn) {
	way := make(chan piece, 1024)
	go func() {
		defer close(way)
		p.read(c, from, way)
	}()
	for x := range way {
		if !p.pass(c, to, x) {
			c.end(false)
		}
	}
	if tcp, ok := to.(*net.TCPConn); ok {
		_ = tcp.CloseWrite()
	}
}

func (p *Proxy) read(c *pair, from net.Conn, way chan<- piece) {
	for {
		buffer := make([]byte, p.chunk(16<<10))
		n, err := from.Read(buffer)
		if n > 0 {
			way <- piece{buffer[:n], time.Now().Add(time.Duration(p.delay.Load()))}
		}
		if err != nil {
			if err != io.EOF {
				c.end(false)
			}
			return
		}
	}
}

// chunk keeps the pieces of a slow link small.
func (p *Proxy) chunk(most int) int {
	if rate := p.rate.Load(); rate > 0 {
		return int(min(int64(most), max(1, rate/20)))
	}
	return most
}

// pass delivers one piece and says whether the connection goes on.
func (p *Proxy) pass(c *pair, to net.Conn, x piece) bool {
	p.lock.Lock()
	hole := p.hole
	p.lock.Unlock()
	<-hole
	c.wait(time.Until(x.due))
	if rate := p.rate.Load(); rate > 0 {
		c.wait(time.Duration(len(x.data)) * time.Second / time.Duration(rate))
	}
	data := x.data[:c.take(int64(len(x.data)), p.cutAfter.Load())]
	p.passed.Add(int64(len(data)))
	n, err := to.Write(data)
	if len(data) < len(x.data) && !c.isOver() {
		p.cuts.Add(1)
	}
	return err == nil && n == len(x.data)
}
