package archive

import (
	"archive/tar"
	"archive/zip"
	"errors"
	"io"
	"time"

	"github.com/klauspost/compress/zstd"
)

// A packer writes files one after the other.
type packer interface {
	add(name string, size int64, r io.Reader) error
	Close() error
}

func newPacker(w io.Writer, format Format) (packer, error) {
	if format == Zip {
		return zipPacker{zip.NewWriter(w)}, nil
	}
	z, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedDefault))
	if err != nil {
		return nil, err
	}
	return tarPacker{tar.NewWriter(z), z}, nil
}

// epoch is the time of every file: the earliest that a zip can hold.
func epoch() time.Time { return time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC) }

type tarPacker struct {
	tar  *tar.Writer
	zstd *zstd.Encoder
}

func (p tarPacker) add(name string, size int64, r io.Reader) error {
	header := &tar.Header{Typeflag: tar.TypeReg, Name: name, Size: size, Mode: 0o644, ModTime: epoch(), Format: tar.FormatPAX}
	if err := p.tar.WriteHeader(header); err != nil {
		return err
	}
	_, err := io.Copy(p.tar, r)
	return err
}

func (p tarPacker) Close() error { return errors.Join(p.tar.Close(), p.zstd.Close()) }

type zipPacker struct{ zip *zip.Writer }

func (p zipPacker) add(name string, _ int64, r io.Reader) error {
	header := &zip.FileHeader{Name: name, Method: zip.Deflate, Modified: epoch()}
	header.SetMode(0o644)
	w, err := p.zip.CreateHeader(header)
	if err != nil {
		return err
	}
	_, err = io.Copy(w, r)
	return err
}

func (p zipPacker) Close() error { return p.zip.Close() }
