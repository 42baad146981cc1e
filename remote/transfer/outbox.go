package transfer

import "io"

// chunk is how much is written at once; no piece of a file is larger. With what
// a stream puts around it, it fills packets of ssh.
const chunk = 256<<10 - 64

// leastRoom is for what a flush is not worth while.
const leastRoom = 4 << 10

// An outbox gathers what is to be sent, so that small files go together. Files
// are read right into it.
type outbox struct {
	w      io.Writer
	buffer []byte
	used   int
}

func newOutbox(w io.Writer) *outbox { return &outbox{w: w, buffer: make([]byte, chunk)} }

// room is where the next bytes go, enough for some of a file. They are added
// afterwards.
func (o *outbox) room() ([]byte, error) {
	if len(o.buffer)-o.used < leastRoom {
		if err := o.flush(); err != nil {
			return nil, err
		}
	}
	return o.buffer[o.used:], nil
}

func (o *outbox) add(n int) { o.used += n }

// Write implements io.Writer.
func (o *outbox) Write(p []byte) (int, error) {
	written := 0
	for written < len(p) {
		if o.used == len(o.buffer) {
			if err := o.flush(); err != nil {
				return written, err
			}
		}
		n := copy(o.buffer[o.used:], p[written:])
		written += n
		o.used += n
	}
	return written, nil
}

func (o *outbox) flush() error {
	if o.used == 0 {
		return nil
	}
	_, err := o.w.Write(o.buffer[:o.used])
	o.used = 0
	return err
}
