package query

import (
	"math"
	"strconv"
	"strings"
)

// A scale shows numbers with a prefix of their unit.
type scale struct {
	factor float64
	unit   string
}

// scaleFor picks the prefix in which the largest of some numbers is short.
// Units that take none, such as %, stay as they are.
func scaleFor(unit string, largest float64) scale {
	plain := scale{1, unit}
	if largest == 0 || math.IsNaN(largest) || math.IsInf(largest, 0) {
		return plain
	}
	if unit == "s" && largest < 1 {
		for _, p := range []scale{{1e-3, "ms"}, {1e-6, "µs"}, {1e-9, "ns"}} {
			if largest >= p.factor {
				return p
			}
		}
		return scale{1e-9, "ns"}
	}
	if !growing(unit) || largest < 1e4 {
		return plain
	}
	for _, p := range []scale{{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if largest >= p.factor {
			return scale{p.factor, p.unit + unit}
		}
	}
	return plain
}

// growing reports whether a unit takes prefixes for large numbers.
func growing(unit string) bool {
	switch unit {
	case "B", "bit", "Hz", "W", "J", "op", "op/s", "ops/s", "req/s", "flop/s":
		return true
	}
	return strings.HasPrefix(unit, "B/") || strings.HasPrefix(unit, "bit/")
}

// format prints a number with four significant digits, all of a whole part.
func (s scale) format(x float64) string {
	switch {
	case math.IsNaN(x):
		return ""
	case math.IsInf(x, 0):
		return strconv.FormatFloat(x, 'g', -1, 64)
	}
	x /= s.factor
	size := math.Abs(x)
	switch {
	case size != 0 && (size < 1e-4 || size >= 1e15):
		return strconv.FormatFloat(x, 'e', 3, 64)
	case x == math.Trunc(x) && size < 1e15 && s.factor == 1:
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	digits := 3 - int(math.Floor(math.Log10(size)))
	return strconv.FormatFloat(x, 'f', max(0, min(digits, 8)), 64)
}
