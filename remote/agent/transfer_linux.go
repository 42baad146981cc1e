package agent

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"mpf/remote/transfer"
	"mpf/remote/wire"
)

// transfer moves files over the call's stream.
func (s *server) transfer(w *workspace, id uint32, r *wire.Request) error {
	stream := wire.NewStream(s.conn, id)
	if err := s.enter(id, &call{stream: stream}); err != nil {
		return err
	}
	path := w.resolve(r.Path)
	widen(stdin)
	go func() {
		err := move(stream, r, path)
		if err != nil {
			s.refuse(id, fileError(err))
			return
		}
		s.reply(id, wire.Response{}, nil)
	}()
	return nil
}

// widen lets a pipe hold more, so that whoever is at its other end can pass on
// more at once. What is no pipe, or has reached its user's limit, stays.
func widen(fd uintptr) { _, _, _ = syscall.Syscall(syscall.SYS_FCNTL, fd, unix.F_SETPIPE_SZ, 1<<20) }

func move(stream *wire.Stream, r *wire.Request, path string) error {
	switch r.Do {
	case wire.OpPut:
		return transfer.Receive(stream, path)
	case wire.OpGet:
		return transfer.Send(stream, transfer.Contents(path))
	}
	return sendWhole(stream, path, r.Limit)
}

// sendWhole sends a file of at most limit bytes.
func sendWhole(stream *wire.Stream, path string, limit int64) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	// A file of /proc has no size: what is read decides.
	n, err := io.CopyBuffer(struct{ io.Writer }{stream}, io.LimitReader(f, limit+1), make([]byte, 256<<10))
	if err != nil {
		return err
	}
	if n > limit {
		return artifact("file %q is larger than %d bytes: fetch it as a file", path, limit)
	}
	return stream.CloseWrite()
}

// fileError says which file, and what is wrong with it.
func fileError(err error) error {
	var known *wire.Error
	var path *fs.PathError
	switch {
	case errors.As(err, &known):
		return err
	case errors.As(err, &path) && errors.Is(err, fs.ErrNotExist):
		return missing(path.Path)
	}
	return artifact("%v", err)
}
