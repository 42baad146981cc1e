package sample

import (
	"errors"
	"math"
	"strconv"

	"mpf/remote/wire"
)

func readMemory(f *counterFile, v *wire.HostReading, w warnings) {
	v.MemTotal, v.MemAvail, v.SwapUsed, v.MemPercent = -1, -1, -1, math.NaN()
	text, err := f.read()
	if err == nil {
		err = parseMemory(text, v)
	}
	if err != nil {
		w.add("memory", "memory could not be read: %v", err)
	}
}

// parseMemory reads lines of a name with a colon, a number and kB.
func parseMemory(text []byte, v *wire.HostReading) error {
	total, available, swap, swapFree := int64(-1), int64(-1), int64(-1), int64(-1)
	for len(text) > 0 {
		var line []byte
		line, text = cutLine(text)
		name, rest := cutWord(line)
		var to *int64
		switch string(name) {
		case "MemTotal:":
			to = &total
		case "MemAvailable:":
			to = &available
		case "SwapTotal:":
			to = &swap
		case "SwapFree:":
			to = &swapFree
		default:
			continue
		}
		if kB, _, ok := cutNumber(rest); ok {
			*to = int64(kB) << 10
		}
	}
	if total <= 0 || available < 0 {
		return errors.New("/proc/meminfo does not say how much is available")
	}
	v.MemTotal, v.MemAvail = total, available
	v.MemPercent = tenth(100 * float64(total-available) / float64(total))
	if swap >= 0 && swapFree >= 0 {
		v.SwapUsed = swap - swapFree
	}
	return nil
}

func readLoad(f *counterFile, v *wire.HostReading, w warnings) {
	text, err := f.read()
	if err == nil {
		word, _ := cutWord(text)
		v.Load1, err = strconv.ParseFloat(string(word), 64)
	}
	if err != nil {
		v.Load1 = math.NaN()
		w.add("load", "the load could not be read: %v", err)
	}
}
