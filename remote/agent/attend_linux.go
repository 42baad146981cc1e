package agent

import (
	"mpf/remote/wire"
)

// watchOutput sends a command's output as it comes, where that is wanted.
func (s *server) watchOutput(p *process) {
	if l := p.owner.live; l != nil {
		p.stdout.watch, p.stderr.watch = l.watch(p.id, false), l.watch(p.id, true)
	}
}

// follow sends all of a process's output to the controller, which waits for a
// line of it, until the controller has seen it. No piece is dropped.
func (s *server) follow(p *process) {
	p.followed.Store(true)
	pass := func(stderr bool, before func([]byte)) func([]byte) {
		return func(data []byte) {
			if before != nil {
				before(data)
			}
			if p.followed.Load() {
				// A link that is broken shows in Receive.
				_ = s.conn.SendJSON(wire.Output, p.id, wire.LiveOutput{Stderr: stderr, Followed: true}, data)
			}
		}
	}
	p.stdout.watch, p.stderr.watch = pass(false, p.stdout.watch), pass(true, p.stderr.watch)
}

// attend answers calls about a process that was started.
func (s *server) attend(p *process, id uint32, do wire.Operation) {
	if do == wire.OpSeen {
		p.followed.Store(false)
		s.reply(id, wire.Response{}, nil)
		return
	}
	if do == wire.OpStdout {
		go func() {
			out := p.stdout.snapshot()
			if out.size > out.kept() {
				s.refuse(id, artifact("%s: stdout is truncated: %d of %d bytes were kept", p.name, out.kept(), out.size))
				return
			}
			s.reply(id, wire.Response{}, s.sendOutput(id, out, snapshot{}))
		}()
		return
	}
	cancelled := make(chan struct{}, 1)
	c := &call{cancel: func() { cancelled <- struct{}{} }}
	if err := s.enter(id, c); err != nil {
		s.refuse(id, err)
		return
	}
	go func() {
		if do == wire.OpStop && !p.isOver() {
			p.stop()
		}
		select {
		case <-p.ended:
			s.sendExit(p, id, func() {})
		case <-cancelled:
			s.refuse(id, failed("command %q: no longer waited for", p.name))
		}
	}()
}
