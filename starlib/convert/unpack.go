package convert

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"go.starlark.net/starlark"
)

// A Duration is a parameter in seconds, or text such as "250ms" or "1m30s".
type Duration struct {
	D   time.Duration
	Set bool
}

func (d *Duration) Unpack(v starlark.Value) error {
	parsed, err := parseDuration(v)
	if err != nil {
		return err
	}
	if parsed < 0 {
		return fmt.Errorf("got %s, want a duration that is not negative", v)
	}
	d.D, d.Set = parsed, true
	return nil
}

// A Timeout is a Duration that is not zero: none is written as None.
type Timeout struct{ Duration }

func (t *Timeout) Unpack(v starlark.Value) error {
	if err := t.Duration.Unpack(v); err != nil {
		return err
	}
	if t.D == 0 {
		return errors.New("got 0, want a time, or None for as long as it takes")
	}
	return nil
}

func parseDuration(v starlark.Value) (time.Duration, error) {
	if text, ok := starlark.AsString(v); ok {
		d, err := time.ParseDuration(text)
		if err != nil {
			return 0, fmt.Errorf(`got %q, want a duration such as "250ms", "1m30s" or a number of seconds`, text)
		}
		return d, nil
	}
	seconds, ok := starlark.AsFloat(v)
	if !ok {
		return 0, fmt.Errorf(`got %s, want a duration such as "250ms" or a number of seconds`, v.Type())
	}
	if math.IsNaN(seconds) || math.Abs(seconds) > math.MaxInt64/float64(time.Second)/2 {
		return 0, fmt.Errorf("got %s, want a duration", v)
	}
	return time.Duration(seconds * float64(time.Second)), nil
}

// A Size is a parameter in bytes, or text such as "64KiB" or "2 MB".
type Size struct {
	Bytes int64
	Set   bool
}

var sizeUnits = [...]struct {
	suffix string
	factor float64
}{
	{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40},
	{"kB", 1e3}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}, {"B", 1},
}

func (s *Size) Unpack(v starlark.Value) error {
	bytes, err := parseSize(v)
	if err != nil {
		return err
	}
	s.Bytes, s.Set = bytes, true
	return nil
}

func parseSize(v starlark.Value) (int64, error) {
	if i, ok := v.(starlark.Int); ok {
		if n, ok := i.Int64(); ok && n >= 0 {
			return n, nil
		}
		return 0, fmt.Errorf("got %s, want a size in bytes", v)
	}
	text, ok := starlark.AsString(v)
	if !ok {
		return 0, fmt.Errorf(`got %s, want a number of bytes or a size such as "64KiB"`, v.Type())
	}
	for _, unit := range sizeUnits {
		if digits, found := strings.CutSuffix(text, unit.suffix); found {
			n, err := strconv.ParseFloat(strings.TrimSpace(digits), 64)
			if err != nil || n < 0 || n*unit.factor > 1<<62 {
				break
			}
			return int64(n * unit.factor), nil
		}
	}
	return 0, fmt.Errorf(`got %q, want a number of bytes or a size such as "64KiB" or "2MB"`, text)
}

// Names is a parameter that takes one name or a list of them.
type Names []string

func (n *Names) Unpack(v starlark.Value) error {
	if text, ok := starlark.AsString(v); ok {
		*n = Names{text}
		return nil
	}
	list, ok := v.(starlark.Indexable)
	if !ok {
		return fmt.Errorf("got %s, want a string or a list of strings", v.Type())
	}
	names := make(Names, list.Len())
	for i := range names {
		text, ok := starlark.AsString(list.Index(i))
		if !ok {
			return fmt.Errorf("item %d: got %s, want string", i, list.Index(i).Type())
		}
		names[i] = text
	}
	*n = names
	return nil
}

// A Number is a parameter that takes an int or a float.
type Number struct {
	F   float64
	Set bool
}

func (n *Number) Unpack(v starlark.Value) error {
	f, ok := starlark.AsFloat(v)
	if !ok {
		return fmt.Errorf("got %s, want a number", v.Type())
	}
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return fmt.Errorf("got %s, want a finite number", v)
	}
	n.F, n.Set = f, true
	return nil
}

// A Count is a parameter that takes an int from 0 up.
type Count struct {
	N   int
	Set bool
}

// maxCount keeps counts far from overflow.
const maxCount = 1 << 40

func (c *Count) Unpack(v starlark.Value) error {
	i, ok := v.(starlark.Int)
	if !ok {
		return fmt.Errorf("got %s, want int", v.Type())
	}
	if i.Sign() < 0 {
		return fmt.Errorf("got %s, want an int that is not negative", v)
	}
	n, fits := i.Int64()
	if !fits || n > maxCount {
		return fmt.Errorf("got %s, want at most %d", v, int64(maxCount))
	}
	c.N, c.Set = int(n), true
	return nil
}

// A Text is a parameter that takes text without NUL.
type Text string

func (t *Text) Unpack(v starlark.Value) error {
	text, ok := starlark.AsString(v)
	if !ok {
		return fmt.Errorf("got %s, want string", v.Type())
	}
	if strings.ContainsRune(text, 0) {
		return errors.New("text holds a NUL byte")
	}
	*t = Text(text)
	return nil
}
