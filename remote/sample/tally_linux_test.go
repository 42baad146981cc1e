package sample

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mpf/remote/wire"
)

// nicFile stands in for /proc/net/dev.
type nicFile struct{ path string }

// say makes it tell of NICs, each a name and what it sent.
func (f nicFile) say(t *testing.T, nics ...any) {
	t.Helper()
	var text strings.Builder
	for i := 0; i < len(nics); i += 2 {
		fmt.Fprintf(&text, "%v: 0 0 0 0 0 0 0 0 %v 0 0 0 0 0 0 0\n", nics[i], nics[i+1])
	}
	if err := os.WriteFile(f.path, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Totals are what was moved: an interface that goes takes nothing along, one
// that comes begins at 0, one whose counters went down counts from 0.
func TestInterfacesThatVanishKeepWhatTheySent(t *testing.T) {
	f, w := nicFile{filepath.Join(t.TempDir(), "dev")}, warnings{}
	n := nicSet{asked: []string{allNICs}, dev: counterFile{path: f.path}, tally: tally{}}
	var sent []int64
	for _, nics := range [][]any{
		{"lo", 7, "eth0", 1000, "veth1", 500},
		{"lo", 7, "eth0", 1010, "veth1", 501},
		{"lo", 8, "eth0", 1020},
		{"lo", 8, "eth0", 1020, "veth2", 5},
		{"lo", 8, "eth0", 30, "veth2", 9},
	} {
		f.say(t, nics...)
		var v wire.HostReading
		n.read(&v, w)
		sent = append(sent, v.ExtSent)
	}
	if want := []int64{1500, 1511, 1521, 1526, 1560}; !slices.Equal(sent, want) {
		t.Errorf("sent %d, want %d", sent, want)
	}
	want := `the counters of network interface "eth0" went down: they were reset and count from 0`
	if got := w.list(); !slices.Equal(got, []string{want}) {
		t.Errorf("warnings %q", got)
	}
}

// An interface that counts only from some moment on brings nothing of before.
func TestInterfacesThatBeginToCountBringNothing(t *testing.T) {
	f := nicFile{filepath.Join(t.TempDir(), "dev")}
	n := nicSet{dev: counterFile{path: f.path}, tally: tally{}, looked: []string{"eth9", "nonic0"}, physical: []string{"eth9"}}
	var v wire.HostReading
	f.say(t, "eth9", 100, "nonic0", 5000)
	n.read(&v, warnings{})
	before := v.ExtSent
	f.say(t, "nonic0", 5001) // all count, now that none is physical
	n.read(&v, warnings{})
	if before != 100 || v.ExtSent != 101 {
		t.Errorf("sent %d, then %d", before, v.ExtSent)
	}
}

// A disk that is pulled out takes nothing along.
func TestDisksThatVanishKeepWhatTheyRead(t *testing.T) {
	dir := t.TempDir()
	say := func(disk string, sectors int) {
		if err := os.WriteFile(filepath.Join(dir, disk), fmt.Appendf(nil, "0 0 %d 0 0 0 0 0 0 0 0\n", sectors), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	d := diskSet{names: []string{"a", "b"}, tally: tally{}}
	d.refresh()
	for i, name := range d.names {
		d.files[i].path = filepath.Join(dir, name)
	}
	say("a", 2000)
	say("b", 300)
	var v wire.HostReading
	w := warnings{}
	d.read(&v, w)
	say("a", 2004)
	if err := d.files[1].close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "b")); err != nil {
		t.Fatal(err)
	}
	d.read(&v, w)
	if v.DiskRead != 2304*sector {
		t.Errorf("read %d sectors, %q", v.DiskRead/sector, w.list())
	}
}

// The mean of CPUs that are all at a bound is that bound, however many there are.
func TestMeanOfEqualCPUsIsTheirs(t *testing.T) {
	for _, p := range []float64{19.9, 20, 33.3, 80, 100} {
		for n := 1; n <= 512; n++ {
			var v wire.HostReading
			if spread(&v, slices.Repeat([]float64{p}, n)); v.CPUMean != p {
				t.Fatalf("%d CPUs at %v: mean %v", n, p, v.CPUMean)
			}
		}
	}
}
