package sample

import (
	"os"
	"strings"
	"time"

	"github.com/shirou/gopsutil/v3/disk"

	"mpf/remote/wire"
)

// rescan is how old a list of devices may be.
const rescan = 10 * time.Second

// A diskSet is the disks whose traffic is summed: those that were named, or all
// whole ones.
type diskSet struct {
	names  []string
	listed []string
	at     time.Time
	last   map[string]disk.IOCountersStat
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
	counters, err := disk.IOCounters(d.listed...)
	d.last = counters
	if err != nil || len(counters) == 0 {
		w.add("disks", "no disk's counters could be read")
		return
	}
	v.DiskRead, v.DiskWrite = 0, 0
	for _, c := range counters {
		v.DiskRead += int64(c.ReadBytes)
		v.DiskWrite += int64(c.WriteBytes)
	}
	for _, name := range d.names {
		if _, ok := counters[name]; !ok {
			w.add("disk "+name, "there is no disk %q", name)
		}
	}
}

// extra adds the counters of disks that were named, each for itself.
func (d *diskSet) extra(extra map[string]float64) {
	for _, name := range d.names {
		if c, ok := d.last[name]; ok {
			extra[DiskPrefix+name+".read_bytes"] = float64(c.ReadBytes)
			extra[DiskPrefix+name+".written_bytes"] = float64(c.WriteBytes)
		}
	}
}
