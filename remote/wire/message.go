package wire

import (
	"encoding/binary"
)

// Type says what a frame's message is.
type Type uint8

const (
	Hello   Type = iota + 1 // the first message of either end
	Beat                    // nothing, so that the other end hears something
	Call                    // controller: do something; answered by one Reply of the same ID
	Reply                   // agent: how a call ended
	Cancel                  // controller: end the call of that ID soon; it is still answered
	Data                    // bytes of a call's stream
	End                     // the sender's half of a call's stream is over
	Credit                  // so many more bytes of the stream may be sent
	Reading                 // agent: a reading, for the workspace of that ID
	Output                  // agent: live output of the command of that ID
	Fault                   // agent: it cannot go on; the last message
	typeEnd
)

func (t Type) valid() bool { return t >= Hello && t < typeEnd }

// A Message is what a frame carries. The ID of a call is chosen by the
// controller and never used twice on a link.
type Message struct {
	Type Type
	ID   uint32
	Head []byte // JSON, or empty
	Body []byte
}

const messagePrefix = 4 + 4

// ParseMessage takes a frame's payload apart: ID (u32), length of the head
// (u32), head, body.
func ParseMessage(f Frame) (Message, error) {
	if len(f.Payload) < messagePrefix {
		return Message{}, protocolErrorf("a message of %d bytes", len(f.Payload))
	}
	id, head := binary.BigEndian.Uint32(f.Payload), binary.BigEndian.Uint32(f.Payload[4:])
	rest := f.Payload[messagePrefix:]
	if uint64(head) > uint64(len(rest)) {
		return Message{}, protocolErrorf("a head of %d bytes in a message of %d", head, len(rest))
	}
	return Message{Type: f.Type, ID: id, Head: rest[:head], Body: rest[head:]}, nil
}

// Decode reads a message's head into v, which points to a zero value.
func (m Message) Decode(v any) error {
	if err := unmarshal(m.Head, v); err != nil {
		return protocolErrorf("the head of a message: %v", err)
	}
	return nil
}
