package parquet

import (
	"fmt"
	"io"
)

// Verify opens a file that was just written and compares it with what was to be
// written: its size, its rows and its fields.
func Verify(r readerAtSeeker, want Written, fields []Field) (err error) {
	defer rescue("Parquet file", &err)
	size, err := r.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	if size != want.Size {
		return fmt.Errorf("%d bytes were written, %d are there", want.Size, size)
	}
	f, err := NewFile(r)
	if err != nil {
		return err
	}
	if f.Rows() != want.Rows {
		return fmt.Errorf("%d rows were written, %d are there", want.Rows, f.Rows())
	}
	if len(f.fields) != len(fields) {
		return fmt.Errorf("%d columns were written, %d are there", len(fields), len(f.fields))
	}
	for i, have := range f.fields {
		if have.Name != fields[i].Name || !have.reads(fields[i]) {
			return fmt.Errorf("column %q was written, %q (%s) is there", fields[i].Name, have.Name, have.Type)
		}
	}
	return nil
}

// reads reports whether a field as it was read is the one that was written.
func (f Field) reads(written Field) bool {
	have, err := f.node()
	if err != nil {
		return false
	}
	want, err := written.node()
	return err == nil && have.Equals(want)
}
