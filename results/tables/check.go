package tables

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"

	"mpf/results/columns"
	"mpf/results/fsys"
	"mpf/results/record"
)

// A Comparison says how the published tables of a campaign compare with its
// record.
type Comparison struct {
	Rows     int64    // that were compared, of all tables
	Stale    []string // tables that the record has gone beyond
	Missing  []string
	Problems []string // values that are not those of the record
}

// Compare derives the tables of a record anew, in a scratch directory that it is
// given empty, and compares every value with the tables in dir.
func Compare(ctx context.Context, src record.Source, dir, scratch string, o Options) (*Comparison, error) {
	report, err := Derive(ctx, src, dir, scratch, o)
	if err != nil {
		return nil, err
	}
	c := &Comparison{}
	for _, table := range report.Tables {
		if err := c.table(table.Path, dir, scratch); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// Derive publishes the tables of the campaign in dir into a scratch directory.
// The campaign is only read: it may be running.
func Derive(ctx context.Context, src record.Source, dir, scratch string, o Options) (report Report, err error) {
	from, err := fsys.OpenDir(dir)
	if err != nil {
		return report, err
	}
	defer from.Close()
	to, err := fsys.OpenDir(scratch)
	if err != nil {
		return report, err
	}
	defer to.Close()
	if err := fsys.MakeDir(to, fsys.TempDir); err != nil {
		return report, err
	}
	return Publish(ctx, src, derivedElsewhere{from, fsys.Unsynced(to)}, o)
}

// derivedElsewhere is a campaign's directory to read from; what is written goes
// to another one.
type derivedElsewhere struct {
	fsys.FS
	to fsys.FS
}

func (d derivedElsewhere) OpenFile(name string, flag int) (fsys.File, error) {
	if flag&(os.O_WRONLY|os.O_RDWR|os.O_CREATE) != 0 {
		return d.to.OpenFile(name, flag)
	}
	return d.FS.OpenFile(name, flag)
}

func (d derivedElsewhere) Mkdir(name string) error        { return d.to.Mkdir(name) }
func (d derivedElsewhere) Rename(from, name string) error { return d.to.Rename(from, name) }
func (d derivedElsewhere) Remove(name string) error       { return d.to.Remove(name) }
func (d derivedElsewhere) Symlink(target, n string) error { return d.to.Symlink(target, n) }
func (d derivedElsewhere) SyncDir(name string) error      { return d.to.SyncDir(name) }

func (c *Comparison) problem(format string, args ...any) {
	c.Problems = append(c.Problems, fmt.Sprintf(format, args...))
}

// table compares one table. One that was not derived, because what it was made
// of is gone, is compared with nothing.
func (c *Comparison) table(name, dir, scratch string) error {
	want, err := Open(filepath.Join(scratch, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer want.Close()
	got, err := Open(filepath.Join(dir, name))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		c.Missing = append(c.Missing, name)
		return nil
	case err != nil:
		c.problem("%v", err)
		return nil
	}
	defer got.Close()
	switch {
	case got.Campaign.Sequence < want.Campaign.Sequence:
		c.Stale = append(c.Stale, name)
	case got.Name != name:
		c.problem("%s: holds the table %s", name, got.Name)
	case got.Rows() != want.Rows():
		c.problem("%s: %d rows, the record gives %d", name, got.Rows(), want.Rows())
	default:
		c.Rows += got.Rows()
		return c.columns(name, got, want)
	}
	return nil
}

func (c *Comparison) columns(name string, got, want *File) error {
	if g, w := columnNames(got), columnNames(want); !slices.Equal(g, w) {
		c.problem("%s: has the columns %q, the record gives %q", name, g, w)
		return nil
	}
	for i, column := range want.Columns {
		a, err := got.whole(i)
		if err != nil {
			c.problem("%v", err)
			continue
		}
		b, err := want.whole(i)
		if err != nil {
			return err
		}
		if row := firstDifference(a, b); row >= 0 {
			c.problem("%s: column %q, row %d: is %v, the record gives %v", name, column.Name, row+1, a.At(row), b.At(row))
		}
	}
	return nil
}

func columnNames(f *File) []string {
	names := make([]string, len(f.Columns))
	for i, c := range f.Columns {
		names[i] = c.Name
	}
	return names
}

// whole reads one column of all row groups.
func (t *File) whole(i int) (*columns.Vector, error) {
	all := &columns.Vector{}
	for group := range t.file.Groups() {
		v, err := t.column(group, i)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t.path, err)
		}
		all.Extend(v)
	}
	return all, nil
}

// firstDifference returns the first place where two vectors differ, or -1.
func firstDifference(a, b *columns.Vector) int {
	for i := range min(a.Len(), b.Len()) {
		if a.Kind(i) != b.Kind(i) || !sameCell(a, b, i) {
			return i
		}
	}
	if a.Len() != b.Len() {
		return min(a.Len(), b.Len())
	}
	return -1
}

func sameCell(a, b *columns.Vector, i int) bool {
	switch a.Kind(i) {
	case columns.KindText, columns.KindList:
		return a.Text(i) == b.Text(i)
	case columns.KindFloat:
		x, y := a.Float(i), b.Float(i)
		return x == y || math.IsNaN(x) && math.IsNaN(y)
	}
	return a.Word(i) == b.Word(i)
}
