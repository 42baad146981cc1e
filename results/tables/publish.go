package tables

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"

	"mpf/engine"
	"mpf/results/columns"
	"mpf/results/durable"
	"mpf/results/fsys"
	"mpf/results/parquet"
	"mpf/results/record"
)

// write publishes all tables.
func (p *Publisher) write(ctx context.Context) error {
	if err := p.followDeployed(); err != nil {
		return err
	}
	p.report = Report{Sequence: p.last, Warnings: slices.Clone(p.usage.warnings)}
	derived := []struct {
		name  string
		store *store
	}{{RunsFile, p.runs.store}, {StepsFile, p.steps.store}, {UsageFile, p.usage.store}}
	if p.usage.dropped {
		derived = derived[:1] // what the samples said is in the files that are there
		if err := p.keep(StepsFile, UsageFile, SamplesFile); err != nil {
			return err
		}
	}
	for _, t := range derived {
		if err := ctx.Err(); err != nil {
			return err
		}
		done, err := t.store.publish(p.tree, t.name, func(ordered []*column, rows int64) []parquet.KeyValue {
			return p.metadata(t.name, describe(ordered), rows)
		})
		if err != nil {
			return fmt.Errorf("%s: %w", t.name, err)
		}
		p.published(t.name, done)
	}
	p.report.Warnings = append(p.report.Warnings, p.mixedWarnings()...)
	if p.usage.dropped {
		return nil
	}
	if p.o.GoOn {
		if err := p.mark(); err != nil {
			return fmt.Errorf("%s: %w", MarkFile, err)
		}
	}
	if !p.final {
		return nil
	}
	segments, err := p.usage.list(p.tree, p.source)
	if err != nil {
		return err
	}
	if p.usage.dropped {
		return p.keep(SamplesFile)
	}
	done, err := p.publishSamples(ctx, segments)
	if err != nil {
		return fmt.Errorf("%s: %w", SamplesFile, err)
	}
	p.published(SamplesFile, done)
	return nil
}

func (p *Publisher) published(name string, done parquet.Written) {
	p.report.Tables = append(p.report.Tables, record.File{Path: name, Size: done.Size, SHA256: done.SHA256, Rows: done.Rows})
}

// keep reports files of an earlier publication as they are.
func (p *Publisher) keep(names ...string) error {
	for _, name := range names {
		file, err := durable.Hash(p.tree, name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		p.report.Tables = append(p.report.Tables, file)
	}
	return nil
}

// mixedWarnings names the columns whose values do not join.
func (p *Publisher) mixedWarnings() []engine.Warning {
	var warnings []engine.Warning
	for _, c := range p.runs.ordered() {
		if c.Mixed {
			warnings = append(warnings, engine.Warning{
				Code: columns.MixedTypes,
				Text: fmt.Sprintf("result %q: its values are of types that do not join; the column is text, the record keeps them as they are", c.script),
			})
		}
	}
	return warnings
}

// publish replaces a table's file by what the store holds.
func (s *store) publish(tree fsys.FS, name string, meta func([]*column, int64) []parquet.KeyValue) (parquet.Written, error) {
	if err := s.finish(); err != nil {
		return parquet.Written{}, err
	}
	s.settle()
	ordered := s.ordered()
	fields := make([]parquet.Field, len(ordered))
	for i, c := range ordered {
		fields[i] = c.field()
	}
	return replace(tree, name, fields, func(w *parquet.Writer) ([]parquet.KeyValue, error) {
		rows, err := s.write(w, ordered)
		return meta(ordered, rows), err
	})
}

func (s *store) write(w *parquet.Writer, ordered []*column) (rows int64, err error) {
	for _, sh := range s.sorted() {
		if err := sh.encode(ordered); err != nil {
			return rows, err
		}
		if len(sh.keys) == 0 {
			continue
		}
		chunks := make([]parquet.Chunk, len(ordered))
		for i, c := range ordered {
			chunks[i] = sh.chunks[c.index]
		}
		if err := w.Append(chunks); err != nil {
			return rows, err
		}
		rows += int64(len(sh.keys))
		if s.loaded > s.budget {
			s.release(sh)
		}
	}
	return rows, nil
}

// replace writes a Parquet file beside the old one, opens it again, and only
// then renames it over the old one. Whatever fails, the old one stays.
func replace(tree fsys.FS, name string, fields []parquet.Field, write func(*parquet.Writer) ([]parquet.KeyValue, error)) (done parquet.Written, err error) {
	temp := path.Join(fsys.TempDir, name)
	f, err := tree.OpenFile(temp, os.O_RDWR|os.O_CREATE|os.O_TRUNC)
	if err != nil {
		return done, err
	}
	done, err = fill(f, fields, write)
	if err == nil {
		err = verify(f, done, fields)
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return done, errors.Join(err, tree.Remove(temp))
	}
	if err := tree.Rename(temp, name); err != nil {
		return done, errors.Join(err, tree.Remove(temp))
	}
	return done, tree.SyncDir(".")
}

func fill(w io.Writer, fields []parquet.Field, write func(*parquet.Writer) ([]parquet.KeyValue, error)) (parquet.Written, error) {
	buffered := newBuffer(w)
	pw, err := parquet.NewWriter(buffered, fields)
	if err != nil {
		return parquet.Written{}, err
	}
	meta, err := write(pw)
	if err != nil {
		return parquet.Written{}, err
	}
	done, err := pw.Close(meta)
	if err != nil {
		return parquet.Written{}, err
	}
	return done, buffered.Flush()
}

func verify(f fsys.File, done parquet.Written, fields []parquet.Field) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if err := parquet.Verify(io.NewSectionReader(f, 0, info.Size()), done, fields); err != nil {
		return fmt.Errorf("read back: %w", err)
	}
	return nil
}
