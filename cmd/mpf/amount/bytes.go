package amount

import (
	"fmt"
	"math"
	"strconv"
)

// Bytes writes a number of bytes with the unit that fits, to three digits.
func Bytes[N int64 | float64](n N) string {
	if n < 1<<10 {
		return Count(int64(n), "byte")
	}
	size, unit := float64(n), ""
	for _, unit = range []string{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"} {
		if size /= 1 << 10; math.Round(size) < 1<<10 {
			break
		}
	}
	if size >= 100 {
		return fmt.Sprintf("%.0f %s", size, unit)
	}
	return strconv.FormatFloat(size, 'g', 3, 64) + " " + unit
}
