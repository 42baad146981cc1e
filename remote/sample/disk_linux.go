package sample

import (
	"os"
	"slices"
	"strings"
	"time"

	"mpf/remote/wire"
)

// rescan is how old a list of devices may be.
const rescan = 10 * time.Second

// A diskSet is the disks whose traffic is summed: those that were named, or all
// whole ones.
type diskSet struct {
	names  []string
	stats  counterFile
	listed []string
	at     time.Time
	last   []diskLine
}

// diskLine is what /proc/diskstats says of a disk that is listed.
type diskLine struct {
	name          string
	read, written int64 // bytes
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
	if len(d.names) > 0 {
		d.listed = d.names
		return
	}
	if !d.at.IsZero() && time.Since(d.at) < rescan {
		return
	}
	d.at, d.listed = time.Now(), nil
	entries, err := os.ReadDir("/sys/block")
	if err != nil {
		return
	}
	for _, entry := range entries {
		if !isVirtual(entry.Name()) {
			d.listed = append(d.listed, entry.Name())
		}
	}
}

func (d *diskSet) read(v *wire.HostReading, w warnings) {
	v.DiskRead, v.DiskWrite = -1, -1
	d.refresh()
	if len(d.listed) == 0 {
		w.add("disks", "this host shows no disk")
		return
	}
	text, err := d.stats.read()
	if err == nil {
		d.last = parseDisks(text, d.listed, d.last[:0])
	}
	if err != nil || len(d.last) == 0 {
		d.last = nil
		w.add("disks", "no disk's counters could be read")
		return
	}
	v.DiskRead, v.DiskWrite = 0, 0
	for _, c := range d.last {
		v.DiskRead += c.read
		v.DiskWrite += c.written
	}
	for _, name := range d.names {
		if !slices.ContainsFunc(d.last, func(c diskLine) bool { return c.name == name }) {
			w.add("disk "+name, "there is no disk %q", name)
		}
	}
}

// sector is the unit of /proc/diskstats, whatever the disk's own is.
const sector = 512

// parseDisks appends the lines of the disks that are listed: two numbers, the
// name, four counters of reads and four of writes, each with sectors third.
func parseDisks(text []byte, listed []string, lines []diskLine) []diskLine {
	for len(text) > 0 {
		var line, name []byte
		line, text = cutLine(text)
		for range 3 {
			name, line = cutWord(line)
		}
		at := slices.IndexFunc(listed, func(l string) bool { return l == string(name) })
		if at < 0 {
			continue
		}
		var counters [7]uint64
		ok := true
		for i := range counters {
			if counters[i], line, ok = cutNumber(line); !ok {
				break
			}
		}
		if ok {
			lines = append(lines, diskLine{listed[at], int64(counters[2]) * sector, int64(counters[6]) * sector})
		}
	}
	return lines
}

// extra adds the counters of disks that were named, each for itself.
func (d *diskSet) extra(extra map[string]float64) {
	if len(d.names) == 0 {
		return
	}
	for _, c := range d.last {
		extra[DiskPrefix+c.name+".read_bytes"] = float64(c.read)
		extra[DiskPrefix+c.name+".written_bytes"] = float64(c.written)
	}
}
