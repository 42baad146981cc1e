package sample

import (
	"errors"
	"os"
	"slices"
	"sort"
	"strings"
	"time"

	"mpf/remote/wire"
)

// rescan is how old a list of devices may be.
const rescan = 10 * time.Second

// A diskSet is the disks whose traffic is summed: those that were named, or all
// whole ones. Each has its file: /proc/diskstats tells of all there are and of
// their partitions, and costs accordingly.
type diskSet struct {
	names  []string
	listed []string
	files  []*counterFile // of the listed ones
	at     time.Time
	last   []diskLine
	tally  tally
	moved  traffic
}

// diskLine is what the kernel says of a disk that is listed.
type diskLine struct {
	name string
	traffic
}

// isVirtual goes by the name of devices that only pass on what other devices
// do, or have no device below them.
func isVirtual(name string) bool {
	for _, prefix := range []string{"dm-", "md", "loop", "ram", "zram"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

func (d *diskSet) refresh() {
	if !d.at.IsZero() && (len(d.names) > 0 || time.Since(d.at) < rescan) {
		return
	}
	d.at = time.Now()
	if len(d.names) > 0 {
		d.list(d.names)
		return
	}
	var names []string
	for _, name := range allDisks() {
		if !isVirtual(name) {
			names = append(names, name)
		}
	}
	if !slices.Equal(names, d.listed) {
		d.list(names)
	}
}

// allDisks are the names of the kernel's block devices, none where it shows none.
func allDisks() []string {
	dir, err := os.Open("/sys/block")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1) // what could be read is used
	sort.Strings(names)
	return names
}

// list takes other disks. Partitions can be named as well; a slash in a name is
// an exclamation mark in the name of its folder.
func (d *diskSet) list(names []string) {
	_ = d.close() // they were only read
	d.listed, d.files = names, nil
	for _, name := range names {
		d.files = append(d.files, &counterFile{path: "/sys/class/block/" + strings.ReplaceAll(name, "/", "!") + "/stat"})
	}
}

func (d *diskSet) close() (err error) {
	for _, f := range d.files {
		err = errors.Join(err, f.close())
	}
	return err
}

func (d *diskSet) read(v *wire.HostReading, w warnings) {
	v.DiskRead, v.DiskWrite = -1, -1
	d.refresh()
	if len(d.listed) == 0 {
		w.add("disks", "this host shows no disk")
		return
	}
	d.last = d.last[:0]
	for i, f := range d.files {
		// One that cannot be read is missing below.
		if text, err := f.read(); err == nil {
			d.last = appendDisk(d.last, d.listed[i], text)
		}
	}
	if len(d.last) == 0 {
		w.add("disks", "no disk's counters could be read")
		return
	}
	for _, c := range d.last {
		gain, reset := d.tally.gained(c.name, c.traffic)
		d.moved.add(gain)
		if reset {
			w.add("reset "+c.name, "the counters of disk %q went down: they were reset and count from 0", c.name)
		}
	}
	v.DiskRead, v.DiskWrite = d.moved[0], d.moved[1]
	for _, name := range d.names {
		if !slices.ContainsFunc(d.last, func(c diskLine) bool { return c.name == name }) {
			w.add("disk "+name, "there is no disk %q", name)
		}
	}
}

// sector is the unit of the kernel's counters, whatever the disk's own is.
const sector = 512

// appendDisk reads a disk's counters: four of reads and four of writes, each with
// sectors third.
func appendDisk(lines []diskLine, name string, text []byte) []diskLine {
	var counters [7]uint64
	line, _ := cutLine(text)
	for i := range counters {
		var ok bool
		if counters[i], line, ok = cutNumber(line); !ok {
			return lines
		}
	}
	return append(lines, diskLine{name, traffic{int64(counters[2]) * sector, int64(counters[6]) * sector}})
}

// extra adds the counters of disks that were named, each for itself.
func (d *diskSet) extra(extra map[string]float64) {
	if len(d.names) == 0 {
		return
	}
	for _, c := range d.last {
		extra[DiskPrefix+c.name+".read_bytes"] = float64(c.traffic[0])
		extra[DiskPrefix+c.name+".written_bytes"] = float64(c.traffic[1])
	}
}
