package link

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"mpf/engine"
	"mpf/remote/wire"
)

func options() Options {
	return Options{
		Host: "node1", Beat: 50 * time.Millisecond, Lease: 300 * time.Millisecond,
		Grace: 100 * time.Millisecond, GiveUp: 600 * time.Millisecond,
	}
}

// A liar is the other end of a link, and not quite an agent.
type liar struct {
	t    *testing.T
	conn *wire.Conn
	raw  net.Conn
	sent uint64 // frames written by hand have numbers from here on
}

// lie connects to a liar. It greets as an agent does and then does its worst.
func lie(t *testing.T, worst func(*liar)) (*Link, error) {
	t.Helper()
	return lieTo(t, options(), worst)
}

func lieTo(t *testing.T, o Options, worst func(*liar)) (*Link, error) {
	t.Helper()
	here, there := net.Pipe()
	return lieThrough(t, o, here, there, worst)
}

// lieThrough is lieTo over a stream of which there is the other end.
func lieThrough(t *testing.T, o Options, here io.ReadWriteCloser, there net.Conn, worst func(*liar)) (*Link, error) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer there.Close()
		g, err := wire.ReadGreeting(there)
		if err != nil {
			return
		}
		io.WriteString(there, wire.Preamble{Token: g.Token, Protocol: wire.Protocol}.String())
		l := &liar{t: t, conn: wire.NewConn(there, there), raw: there}
		if _, err := l.conn.Receive(); err != nil {
			return
		}
		l.conn.SendJSON(wire.Hello, 0, wire.AgentHello{BootID: "boot"}, nil)
		l.sent = 1
		worst(l)
		io.Copy(io.Discard, there) // until the controller has had enough
	}()
	l, err := Open(t.Context(), here, o)
	t.Cleanup(func() {
		if l != nil {
			l.Close()
		}
		here.Close()
		<-done
	})
	return l, err
}

// next returns the next call.
func (l *liar) next() (uint32, wire.Request) {
	for {
		m, err := l.conn.Receive()
		if err != nil {
			return 0, wire.Request{}
		}
		var r wire.Request
		if m.Type == wire.Call && m.Decode(&r) == nil {
			return m.ID, r
		}
	}
}

func (l *liar) reply(id uint32, r wire.Response, body string) {
	l.conn.SendJSON(wire.Reply, id, r, []byte(body))
}

// frame writes a frame's head by hand.
func (l *liar) frame(length uint32, kind byte, seq uint64, crc uint32) {
	b := binary.BigEndian.AppendUint32(nil, length)
	b = append(b, kind)
	b = binary.BigEndian.AppendUint64(b, seq)
	b = binary.BigEndian.AppendUint32(b, crc)
	l.raw.Write(append(b, make([]byte, 64)...))
}

// opened answers the opening of an attempt.
func (l *liar) opened() uint32 {
	id, _ := l.next()
	l.reply(id, wire.Response{Opened: &wire.Opened{Dir: "/nowhere"}}, "")
	return id
}

func attempt() engine.Attempt { return engine.Attempt{Number: 1, Nonce: "nonce"} }

// What an agent must never say ends the link as a breach of the protocol, and
// nothing worse happens.
func TestLiesEndTheLink(t *testing.T) {
	for name, worst := range map[string]func(*liar){
		"4 GiB":        func(l *liar) { l.opened(); l.frame(1<<32-1, byte(wire.Beat), 2, 0) },
		"bad crc":      func(l *liar) { l.opened(); l.frame(8, byte(wire.Beat), 2, 12345) },
		"gap":          func(l *liar) { l.opened(); l.frame(8, byte(wire.Beat), 9, 0) },
		"unknown type": func(l *liar) { l.opened(); l.frame(8, 99, 2, 0) },
		"a call":       func(l *liar) { l.opened(); l.conn.SendJSON(wire.Call, 1, wire.Request{}, nil) },
		"two exits": func(l *liar) {
			l.opened()
			id, _ := l.next()
			l.reply(id, wire.Response{Exit: &wire.Exit{}}, "")
			l.reply(id, wire.Response{Exit: &wire.Exit{}}, "")
		},
		"no exit": func(l *liar) { l.opened(); id, _ := l.next(); l.reply(id, wire.Response{}, "") },
		"not JSON": func(l *liar) {
			l.opened()
			id, _ := l.next()
			l.conn.Send(wire.Message{Type: wire.Reply, ID: id, Head: []byte("{")})
		},
		"wrong sizes":    func(l *liar) { l.opened(); id, _ := l.next(); l.reply(id, exit(5, 0), "four") },
		"negative sizes": func(l *liar) { l.opened(); id, _ := l.next(); l.reply(id, exit(-1, 5), "four") },
		"large output": func(l *liar) {
			l.opened()
			id, _ := l.next()
			l.conn.SendJSON(wire.Data, id, wire.Announced{Bytes: 1 << 40}, nil)
		},
		"output nobody announced": func(l *liar) {
			l.opened()
			id, _ := l.next()
			l.conn.Send(wire.Message{Type: wire.Data, ID: id, Body: []byte("x")})
		},
		"reading of nobody": func(l *liar) {
			l.opened()
			r := wire.HostReading{}
			l.conn.Send(wire.Message{Type: wire.Reading, ID: 999, Body: r.Append(nil)})
		},
	} {
		t.Run(name, func(t *testing.T) {
			l, err := lie(t, worst)
			if err != nil {
				t.Fatal(err)
			}
			w, err := l.Open(t.Context(), attempt())
			if err != nil {
				t.Fatal(err)
			}
			for range 2 {
				if _, err = w.Run(t.Context(), engine.Command{Argv: []string{"true"}}); err != nil {
					break
				}
			}
			expectFailure(t, err, engine.CauseProtocol)
		})
	}
}

func exit(out, errs int64) wire.Response {
	return wire.Response{Exit: &wire.Exit{Stdout: wire.Captured{Kept: out}, Stderr: wire.Captured{Kept: errs}}}
}

func expectFailure(t *testing.T, err error, cause engine.Cause) {
	t.Helper()
	var failure *engine.Failure
	if !errors.As(err, &failure) || failure.Status != engine.Unreachable || failure.Cause != cause {
		t.Errorf("got %v (%+v), want unreachable by %s", err, failure, cause)
	}
}

type sink struct{ readings []engine.Reading }

func (s *sink) Put(r engine.Reading) { s.readings = append(s.readings, r) }

// Values that make no sense but break nothing are the record's to judge; time
// that goes back breaks the samples.
func TestReadings(t *testing.T) {
	for name, c := range map[string]struct {
		monos []time.Duration
		fails bool
	}{
		"in order": {[]time.Duration{1, 2, 2}, false},
		"back":     {[]time.Duration{2, 1}, true},
	} {
		t.Run(name, func(t *testing.T) {
			s := &sink{}
			l, err := lie(t, func(l *liar) {
				id := l.opened()
				for _, mono := range c.monos {
					r := wire.HostReading{Mono: mono, CPUMean: math.NaN(), MemTotal: -1, Extra: map[string]float64{"\xff": math.Inf(1)}}
					l.conn.Send(wire.Message{Type: wire.Reading, ID: id, Body: r.Append(nil)})
				}
				closing, _ := l.next()
				l.reply(closing, wire.Response{Closed: &wire.Closed{Readings: len(c.monos)}}, "")
			})
			if err != nil {
				t.Fatal(err)
			}
			a := attempt()
			a.Readings = s
			w, err := l.Open(t.Context(), a)
			if err != nil {
				t.Fatal(err)
			}
			_, err = w.Close(t.Context())
			if c.fails {
				expectFailure(t, err, engine.CauseProtocol)
			} else if err != nil || len(s.readings) != len(c.monos) {
				t.Errorf("%d readings, %v", len(s.readings), err)
			}
		})
	}
}

func TestSilenceEndsTheLink(t *testing.T) {
	l, err := lie(t, func(l *liar) { l.opened() })
	if err != nil {
		t.Fatal(err)
	}
	w, err := l.Open(t.Context(), attempt())
	if err != nil {
		t.Fatal(err)
	}
	_, err = w.Run(t.Context(), engine.Command{Argv: []string{"true"}})
	expectFailure(t, err, engine.CauseLease)
}

// lyingWorkspace opens an attempt on a liar.
func lyingWorkspace(t *testing.T, o Options, worst func(*liar)) (*Link, engine.Workspace) {
	t.Helper()
	l, err := lieTo(t, o, worst)
	if err != nil {
		t.Fatal(err)
	}
	w, err := l.Open(t.Context(), attempt())
	if err != nil {
		t.Fatal(err)
	}
	return l, w
}

func expectSuspended(t *testing.T, err error) {
	t.Helper()
	var failure *engine.Failure
	if !errors.As(err, &failure) || failure.Status != engine.Interrupted || failure.Cause != engine.CauseSuspended || failure.Host != "node1" {
		t.Errorf("got %v (%+v), want interrupted by a suspension", err, failure)
	}
}

// A host that slept for longer than the lease measured nothing; a nod is none.
// deaf is a stream whose other end can be heard and hears nothing once it is set.
type deaf struct {
	net.Conn
	set atomic.Bool
}

func (d *deaf) Write(p []byte) (int, error) {
	if d.set.Load() {
		return 0, errors.New("deaf")
	}
	return d.Conn.Write(p)
}

func TestWhatCannotBeSentEndsTheLink(t *testing.T) {
	here, there := net.Pipe()
	stream := &deaf{Conn: here}
	o := options()
	o.GiveUp = time.Hour
	l, err := lieThrough(t, o, stream, there, func(*liar) {})
	if err != nil {
		t.Fatal(err)
	}
	stream.set.Store(true)
	<-l.Over()
	if err := l.Err(); err == nil || !strings.Contains(err.Error(), "deaf") {
		t.Errorf("the link ended with %v", err)
	}
}

func TestAHostThatSlept(t *testing.T) {
	const nod, sleep = 0.2, 7200
	_, w := lyingWorkspace(t, options(), func(l *liar) {
		l.opened()
		for _, suspended := range []float64{nod, sleep} {
			id, _ := l.next()
			l.reply(id, wire.Response{Exit: &wire.Exit{Seconds: 1.5, Suspended: suspended}}, "")
		}
		id, _ := l.next()
		l.reply(id, wire.Response{Closed: &wire.Closed{Suspended: sleep}}, "")
	})
	command := engine.Command{Argv: []string{"true"}}
	if out, err := w.Run(t.Context(), command); err != nil || out.Seconds != 1.5 {
		t.Errorf("after a nod: %+v, %v", out, err)
	}
	_, err := w.Run(t.Context(), command)
	expectSuspended(t, err)
	_, err = w.Close(t.Context())
	expectSuspended(t, err)
}

// When the machine that runs mpf wakes up, it may first hear that the agents
// ended, or first look at its clocks: either way it slept.
func TestTheControllerSlept(t *testing.T) {
	for name, ends := range map[string]bool{"and the host is silent": false, "and the host hung up": true} {
		t.Run(name, func(t *testing.T) {
			var slept atomic.Int64
			o := options()
			o.Slept = func() time.Duration { return time.Duration(slept.Load()) }
			asleep := make(chan struct{})
			l, w := lyingWorkspace(t, o, func(l *liar) {
				l.opened()
				<-asleep
				if ends {
					l.raw.Close()
				}
			})
			slept.Store(int64(time.Hour))
			close(asleep)
			_, err := w.Run(t.Context(), engine.Command{Argv: []string{"true"}})
			expectSuspended(t, err)
			<-l.Over()
			expectSuspended(t, l.Err())
		})
	}
}

// A clock that is set by a day changes no duration, and is told of.
func TestAClockThatIsSetDuringARun(t *testing.T) {
	for _, day := range []time.Duration{24 * time.Hour, -24 * time.Hour} {
		told := func(by time.Duration) wire.Clock {
			now := time.Now().Add(by).UnixNano()
			return wire.Clock{Came: now, Answered: now}
		}
		l, w := lyingWorkspace(t, options(), func(l *liar) {
			id, _ := l.next()
			l.reply(id, wire.Response{Opened: &wire.Opened{Dir: "/nowhere", Clock: told(0)}}, "")
			id, _ = l.next()
			l.reply(id, wire.Response{Exit: &wire.Exit{Started: time.Now().UnixNano(), Seconds: 1.5}}, "")
			id, _ = l.next()
			l.reply(id, wire.Response{Closed: &wire.Closed{Clock: told(day)}}, "")
		})
		out, err := w.Run(t.Context(), engine.Command{Argv: []string{"true"}})
		if err != nil || out.Seconds != 1.5 || time.Since(out.Started).Abs() > time.Minute {
			t.Errorf("by %s: %g s since %s, %v", day, out.Seconds, out.Started, err)
		}
		closing, err := w.Close(t.Context())
		if err != nil || len(closing.Warnings) != 1 || (setBy(t, closing.Warnings[0])-day).Abs() > time.Second {
			t.Errorf("by %s: warnings %q, %v", day, closing.Warnings, err)
		}
		if off := (l.Clock().Offset + day).Abs(); off > time.Second {
			t.Errorf("by %s: offset %s", day, l.Clock().Offset)
		}
	}
}

// setBy reads from a warning by how much a clock was set.
func setBy(t *testing.T, warning string) time.Duration {
	t.Helper()
	_, after, found := strings.Cut(warning, "was set during the run, by ")
	by, _, _ := strings.Cut(after, " ")
	d, err := time.ParseDuration(by)
	if !found || err != nil {
		t.Errorf("warning %q names no duration: %v", warning, err)
	}
	return d
}

func TestEndOfTheAgent(t *testing.T) {
	l, err := lie(t, func(l *liar) { l.opened(); l.raw.Close() })
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Open(t.Context(), attempt()); err != nil {
		t.Fatal(err)
	}
	<-l.Over()
	expectFailure(t, l.Err(), engine.CauseAgentDied)
}

func TestRefusedGreetings(t *testing.T) {
	for name, c := range map[string]struct {
		answer func(token string) string
		want   string
	}{
		"banner":  {func(string) string { return "Welcome to node1!\n" }, `expected MPF1, got "Welcome to node1!"`},
		"token":   {func(string) string { return "MPF1 stale - 1\n" }, "another dial"},
		"version": {func(token string) string { return fmt.Sprintf("MPF1 %s - 7\n", token) }, `protocol "7"`},
		"nothing": {func(string) string { return "" }, "the agent ended"},
	} {
		t.Run(name, func(t *testing.T) {
			here, there := net.Pipe()
			go func() {
				defer there.Close()
				g, err := wire.ReadGreeting(there)
				if err == nil {
					io.WriteString(there, c.answer(g.Token))
				}
			}()
			_, err := Open(t.Context(), here, options())
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

func TestOpenGivesUp(t *testing.T) {
	here, there := net.Pipe()
	defer there.Close()
	go io.Copy(io.Discard, there)
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(10*time.Millisecond, cancel)
	_, err := Open(ctx, here, options())
	expectFailure(t, err, engine.CauseLink)
}

// Names that a host makes up do not lead out of where its files go.
func TestHostileNames(t *testing.T) {
	for _, name := range []string{"../../x", "/etc/x", "a/../../x", "a\x00b", "a\nb", "\xff", ".", ""} {
		l, err := lie(t, func(l *liar) {
			l.opened()
			id, _ := l.next()
			list := fmt.Sprintf(`{"entries":[{"path":".","kind":"folder","mode":493},{"path":%q,"kind":"file","mode":420,"size":1}]}`+"\n", name)
			if name == "\xff" {
				list = strings.Replace(list, `\xff`, "\xff/..", 1)
			}
			list = strings.ReplaceAll(list, `\x00`, `\u0000`)
			l.conn.Send(wire.Message{Type: wire.Data, ID: id, Body: []byte(list)})
			l.next()
		})
		if err != nil {
			t.Fatal(err)
		}
		w, err := l.Open(t.Context(), attempt())
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		err = w.Get(ctx, "x", filepath.Join(dir, "in", "copy"))
		cancel()
		if err == nil {
			t.Errorf("%q was taken", name)
		}
		found, globErr := filepath.Glob(filepath.Join(dir, "*"))
		if globErr != nil || len(found) > 1 {
			t.Errorf("%q made %q", name, found)
		}
	}
}

func TestClockPrefersTheBestExchange(t *testing.T) {
	var c clock
	start := time.Unix(1000, 0)
	ahead := 3 * time.Hour
	exchange := func(at, there, back time.Duration) {
		sent := start.Add(at)
		host := sent.Add(there + ahead).UnixNano()
		c.compare(sent, sent.Add(there+back), wire.Clock{Came: host, Answered: host})
	}
	exchange(0, 10*time.Millisecond, 30*time.Millisecond)
	exchange(time.Second, time.Millisecond, 2*time.Millisecond)
	exchange(2*time.Second, 50*time.Millisecond, time.Millisecond)
	if off := (c.offset + ahead).Abs(); off > c.bound || c.bound != 1500*time.Microsecond {
		t.Errorf("offset %s with a bound of %s", c.offset, c.bound)
	}
	// A clock that was set makes a bad exchange better than an old good one.
	ahead += time.Hour
	exchange(3*time.Second, 20*time.Millisecond, 20*time.Millisecond)
	if off := (c.offset + ahead).Abs(); off > c.bound {
		t.Errorf("after the clock was set: %s with a bound of %s", c.offset, c.bound)
	}
}
