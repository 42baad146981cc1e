package agent

import (
	"bytes"
	"fmt"
	"time"

	"mpf/remote/wire"
)

// begin starts a call. Commands are started at once, on the thread that
// receives; all that may wait gets a goroutine.
func (s *server) begin(id uint32, r *wire.Request, body []byte) error {
	came := time.Now().UnixNano()
	switch r.Do {
	case wire.OpClock:
		s.reply(id, wire.Response{Clock: &wire.Clock{Came: came, Answered: time.Now().UnixNano()}}, nil)
		return nil
	case wire.OpOpen:
		if r.Attempt == nil {
			return &wire.ProtocolError{What: "an attempt without a name"}
		}
		s.open(id, *r.Attempt, came)
		return nil
	case wire.OpFence:
		if r.Attempt == nil {
			return &wire.ProtocolError{What: "an attempt without a name"}
		}
		go s.fence(id, *r.Attempt)
		return nil
	case wire.OpFacts:
		go s.facts(id, r.Tools)
		return nil
	case wire.OpLook:
		go s.look(id, r)
		return nil
	case wire.OpKeep:
		go s.keep(id, bytes.Clone(body))
		return nil
	case wire.OpRestore:
		go s.restore(id)
		return nil
	}
	w, err := s.workspace(r.Workspace)
	if err != nil {
		return err
	}
	return s.beginIn(w, id, r, body, came)
}

// beginIn starts a call that concerns a workspace.
func (s *server) beginIn(w *workspace, id uint32, r *wire.Request, body []byte, came int64) error {
	switch r.Do {
	case wire.OpRun, wire.OpStart:
		if r.Command == nil || len(r.Command.Argv) == 0 {
			return &wire.ProtocolError{What: "a command without an argv"}
		}
		if r.Do == wire.OpRun {
			s.run(w, id, r.Command, body)
		} else {
			s.start(w, id, r, body)
		}
	case wire.OpWait, wire.OpStop, wire.OpStdout, wire.OpSeen:
		p := w.process(r.Process)
		if p == nil {
			return &wire.ProtocolError{What: fmt.Sprintf("no process %d", r.Process)}
		}
		s.attend(p, id, r.Do)
	case wire.OpPut, wire.OpGet, wire.OpRead:
		return s.transfer(w, id, r)
	case wire.OpPort:
		s.waitPort(id, r.Port)
	case wire.OpClose:
		go s.close(w, id, came)
	default:
		return &wire.ProtocolError{What: fmt.Sprintf("an unknown operation %q", r.Do)}
	}
	return nil
}

func (s *server) open(id uint32, a wire.Attempt, came int64) {
	w, err := openWorkspace(s, id, a)
	if err != nil {
		s.refuse(id, err)
		return
	}
	s.mu.Lock()
	s.workspaces[id] = w
	s.mu.Unlock()
	if a.Sampling != nil {
		w.sampler = startSampler(w, *a.Sampling)
	}
	s.reply(id, wire.Response{Opened: &wire.Opened{Dir: w.dir, Clock: wire.Clock{Came: came, Answered: time.Now().UnixNano()}}}, nil)
}

func (s *server) close(w *workspace, id uint32, came int64) {
	closed := w.close(s.grace)
	s.mu.Lock()
	delete(s.workspaces, w.id)
	s.mu.Unlock()
	closed.Clock = wire.Clock{Came: came, Answered: time.Now().UnixNano()}
	s.reply(id, wire.Response{Closed: &closed}, nil)
}
