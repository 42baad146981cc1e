package client

import (
	"net"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/crypto/ssh"
)

// A Conn is one ssh connection.
type Conn struct {
	client  *ssh.Client
	network *hearing
	release func() // of the hops before, or nil
	once    sync.Once
	done    chan struct{}
	silent  atomic.Bool
	closed  atomic.Pointer[time.Time] // when a session was closed last, or nil
}

// Dead reports whether the connection is over.
func (c *Conn) Dead() bool {
	select {
	case <-c.done:
		return true
	default:
		return false
	}
}

// Silent reports whether the connection was given up because nothing came.
func (c *Conn) Silent() bool { return c.silent.Load() }

// Close ends the connection and returns the hops before it. What runs on the
// host is not told.
func (c *Conn) Close() error {
	var err error
	c.once.Do(func() {
		close(c.done)
		err = c.network.Close()
		if c.release != nil {
			c.release()
		}
	})
	return err
}

// watch closes a connection on which nothing is heard for patience, asking the
// server for a sign of life thrice meanwhile. The answer may never come and the
// question never return: closing the network connection ends both.
func (c *Conn) watch(patience time.Duration) {
	go func() {
		_ = c.client.Wait()
		_ = c.Close()
	}()
	tick := time.NewTicker(patience / 12)
	defer tick.Stop()
	asking := make(chan struct{}, 1)
	for {
		select {
		case <-c.done:
			return
		case <-tick.C:
		}
		quiet := c.network.quiet()
		if quiet > patience {
			c.silent.Store(true)
			_ = c.Close()
			return
		}
		if quiet > patience/3 {
			c.ask(asking)
		}
	}
}

// ask sends one question at a time.
func (c *Conn) ask(asking chan struct{}) {
	select {
	case asking <- struct{}{}:
		go func() {
			_, _, _ = c.client.SendRequest("keepalive@openssh.com", true, nil)
			<-asking
		}()
	default:
	}
}

// A hearing is a network connection that knows when it last heard something.
type hearing struct {
	net.Conn
	last atomic.Int64 // nanoseconds since began
	ack  func()       // acknowledges at once what was read, or nil

	began time.Time
}

func newHearing(conn net.Conn) *hearing {
	return &hearing{Conn: conn, began: time.Now(), ack: quickAck(conn)}
}

func (h *hearing) Read(p []byte) (int, error) {
	n, err := h.Conn.Read(p)
	if n > 0 {
		h.last.Store(int64(time.Since(h.began)))
		if h.ack != nil {
			h.ack()
		}
	}
	return n, err
}

func (h *hearing) quiet() time.Duration {
	return time.Since(h.began) - time.Duration(h.last.Load())
}
