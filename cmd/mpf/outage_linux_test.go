package main

import (
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"testing"

	"mpf/results/fsys/fsystest"
)

var outages = flag.Int("outages", 5, "at how many instants each kind of campaign loses power for the first time")

// Each run says that it runs. Some leave files; the words make a journal that is
// long enough to be indexed.
const outageScript = `
experiment("outage", replicates = 1)
variable("n", range(%d))
client = role("client")
def step(ctx, n):
    ctx.log("run", n)
    if n %% 3 == 0:
        ctx.write("x", 3000 * str(n))
        ctx.get("x")
    return {"m": n, "words": 12000 * str(n)}
client.step(step)
`

const (
	outageRuns = 9
	fewerRuns  = 6 // of the campaign that is extended
)

// A campaign that loses power again and again, at any instant and also while it
// mends what the last time left, keeps what it acknowledged and has in the end
// the rows of one that nothing happened to. Each second one was killed before.
func TestACampaignThatLosesPowerKeepsWhatItAcknowledged(t *testing.T) {
	t.Parallel()
	small := undisturbed(t, fsystest.NewMemory(), fewerRuns)
	for name, begun := range map[string]*fsystest.Memory{"begun": fsystest.NewMemory(), "extended": small.tree} {
		calm := undisturbed(t, begun.Kill(), outageRuns)
		changes, rows := calm.tree.Changes(), calm.published(calm.tree)
		t.Logf("%s: %d changes of the disk", name, changes)
		for i := range *outages {
			at := instant(i, changes)
			t.Run(fmt.Sprintf("%s, at change %d", name, at), func(t *testing.T) {
				p := newPowered(t, uint64(i), begun.Kill(), outageRuns)
				for n := 0; !p.live(at); n++ {
					if n == 0 && i%2 == 0 { // what the death leaves unsynced is at risk
						p.die()
						at = 1 + p.random.IntN(changes)
					} else {
						p.losePower()
						at = p.next(n, changes)
					}
					p.expectAcknowledged()
				}
				p.expectWhole(rows)
			})
		}
	}
}

// instant spreads the first outages evenly over the changes of the disk.
func instant(i, changes int) int { return 1 + (2*i+1)*changes/(2**outages) }

func undisturbed(t *testing.T, disk *fsystest.Memory, runs int) *powered {
	t.Helper()
	p := newPowered(t, 0, disk, runs)
	if !p.live(0) {
		t.Fatal("the power went")
	}
	return p
}

// next draws the change at which the power goes again, if it does: often while
// what was lost before is mended.
func (p *powered) next(n, changes int) int {
	switch {
	case n == 3 || p.random.IntN(3) == 0:
		return 0
	case p.random.IntN(2) == 0:
		return 1 + p.random.IntN(40)
	}
	return 1 + p.random.IntN(changes)
}

// A repair that loses power at any instant can be repeated, and loses no more
// than one that nothing happened to.
func TestARepairThatLosesPowerLosesNoMore(t *testing.T) {
	t.Parallel()
	p := undisturbed(t, fsystest.NewMemory(), fewerRuns)
	p.write(outageRuns)
	if !p.live(0) {
		t.Fatal("the power went")
	}
	rows := p.published(p.tree)
	p.unmount()
	damaged := p.tree.Kill()
	damage(t, damaged, outageDir+"/journal/00000001.jsonl")

	calm := newPowered(t, 0, damaged.Kill(), outageRuns)
	if !calm.live(0, "repair", "--accept-loss", calm.out) {
		t.Fatal("the power went")
	}
	_, kept := calm.attempts()
	if len(kept) == 0 || len(kept) >= fewerRuns {
		t.Fatalf("the repair kept %v", kept)
	}
	for i := range *outages {
		at := instant(i, calm.tree.Changes())
		t.Run(fmt.Sprintf("at change %d", at), func(t *testing.T) {
			p := newPowered(t, uint64(i), damaged.Kill(), outageRuns)
			for cut := at; !p.live(cut, "repair", "--accept-loss", p.out); cut = 0 {
				p.losePower()
			}
			if _, ok := p.attempts(); !maps.Equal(ok, kept) {
				t.Errorf("the repair kept %v, want %v\n%s", ok, kept, &p.talk)
			}
			if !p.live(0) {
				t.Fatal("the power went")
			}
			p.expectWhole(rows)
		})
	}
}

// damage spoils the middle of a file.
func damage(t *testing.T, disk *fsystest.Memory, name string) {
	t.Helper()
	f, err := disk.OpenFile(name, os.O_RDWR)
	if err != nil {
		t.Fatal(err)
	}
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	_, err = io.CopyN(io.Discard, f, info.Size()/2)
	if err == nil {
		_, err = f.Write([]byte("spoilt"))
	}
	if err == nil {
		err = f.Sync()
	}
	if err != nil {
		t.Fatal(err)
	}
}
