package main

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"os"
	"os/exec"
	"strings"

	"mpf/cmd/mpf/amount"
	"mpf/results/campaign"
	"mpf/results/export"
	"mpf/results/inspect"
	"mpf/results/parquet"
	"mpf/results/tables"
)

// salvageWord makes mpf the process that reads a segment of samples without an
// end: it is no command of a user's.
const salvageWord = "salvage-segment"

// salvageMemory is what that process may take beyond what it has when it begins.
const salvageMemory = 1 << 30

// salvage reads a segment that may be cut or damaged from standard input and
// writes a whole one.
func (p *program) salvage() error {
	if err := limitMemory(salvageMemory); err != nil {
		return err
	}
	cut, err := parquet.Salvage(p.say.out, p.in)
	if err == nil && cut != nil {
		p.say.talk("%v", cut)
	}
	return err
}

// exportPartial writes the samples of attempts that have no end.
func (p *program) exportPartial(dir string, e *exportOptions) error {
	c, err := campaign.Read(dir)
	if err != nil {
		return err
	}
	defer c.Close()
	remnants, err := inspect.Remnants(c)
	if err != nil {
		return err
	}
	collected := tables.NewPartial()
	for _, r := range remnants {
		if err := collected.Add(r.Start, r.Host, p.salvaged(c, r)); err != nil {
			p.say.warn("%s: read in part: %v", r.Path, err)
		}
	}
	frame, err := e.choose(collected.Frame())
	if err != nil {
		return err
	}
	p.say.talk("%s of samples without an end", amount.Count(len(remnants), "file"))
	return p.writeTable(frame, nil, export.Format(e.to), e.out)
}

// salvaged yields the readings, many at once, of a segment without an end. A
// process of its own reads it first, for a damaged one may ask for any amount of
// memory.
func (p *program) salvaged(c *campaign.Campaign, r inspect.Remnant) iter.Seq2[*parquet.Batch, error] {
	return func(yield func(*parquet.Batch, error) bool) {
		whole, err := p.salvageFile(c, r.Path)
		for batch, readErr := range parquet.ReadBatches(bytes.NewReader(whole)) {
			if readErr != nil {
				err = errors.Join(err, readErr)
				break
			}
			if !yield(batch, nil) {
				return
			}
		}
		if err != nil {
			yield(nil, err)
		}
	}
}

func (p *program) salvageFile(c *campaign.Campaign, name string) ([]byte, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	f, err := c.Tree().OpenFile(name, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var out, talk bytes.Buffer
	cmd := exec.CommandContext(p.ctx, self)
	cmd.Args = []string{"mpf", salvageWord}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = f, &out, &talk
	if err := cmd.Run(); err != nil {
		first, _, _ := strings.Cut(talk.String(), "\n")
		return out.Bytes(), fmt.Errorf("%w: %s", err, first)
	}
	return out.Bytes(), nil
}
