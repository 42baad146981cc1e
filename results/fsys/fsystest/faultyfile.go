package fsystest

import (
	"errors"
	"io/fs"

	"mpf/results/fsys"
)

// faultyFile is an open file of a Faults.
type faultyFile struct {
	file fsys.File
	in   *Faults
	name string
}

func (f *faultyFile) Read(p []byte) (int, error) {
	if err := f.in.next("read", f.name); err != nil {
		return 0, err
	}
	return f.file.Read(p)
}

func (f *faultyFile) ReadAt(p []byte, at int64) (int, error) {
	if err := f.in.next("read", f.name); err != nil {
		return 0, err
	}
	return f.file.ReadAt(p, at)
}

func (f *faultyFile) Write(p []byte) (int, error) {
	err := f.in.next("write", f.name)
	if err == nil {
		return f.file.Write(p)
	}
	if f.in.fault.Short == nil {
		return 0, err
	}
	n, writeErr := f.file.Write(p[:f.in.fault.Short(len(p))])
	return n, errors.Join(err, writeErr)
}

func (f *faultyFile) Truncate(size int64) error {
	if err := f.in.next("truncate", f.name); err != nil {
		return err
	}
	return f.file.Truncate(size)
}

func (f *faultyFile) Sync() error {
	err := f.in.next("sync", f.name)
	if err == nil {
		return f.file.Sync()
	}
	if inMemory, ok := f.file.(*file); ok {
		inMemory.loseDirty()
	}
	return err
}

func (f *faultyFile) Lock() error {
	if err := f.in.next("flock", f.name); err != nil {
		return err
	}
	return f.file.Lock()
}

func (f *faultyFile) Stat() (fs.FileInfo, error) {
	if err := f.in.next("stat", f.name); err != nil {
		return nil, err
	}
	return f.file.Stat()
}

// Close closes the file also where it reports a failure, as close(2) does.
func (f *faultyFile) Close() error {
	return errors.Join(f.in.next("close", f.name), f.file.Close())
}
