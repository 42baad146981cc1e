package sshconfig

import (
	"errors"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// span is one number of a time, with a unit or in seconds.
var span = regexp.MustCompile(`^([0-9]{1,9})([smhdw]?)`)

// parseTime reads a time as ssh_config has it: 90, 1m30s, 2h.
func parseTime(text string) (time.Duration, error) {
	units := map[string]time.Duration{"": time.Second, "s": time.Second, "m": time.Minute, "h": time.Hour, "d": 24 * time.Hour, "w": 7 * 24 * time.Hour}
	var sum time.Duration
	for rest := strings.ToLower(text); rest != "" || text == ""; {
		parts := span.FindStringSubmatch(rest)
		if parts == nil {
			return 0, errors.New("not a number of seconds, or a time as 1m30s")
		}
		n, _ := strconv.Atoi(parts[1])
		sum += time.Duration(n) * units[parts[2]]
		rest = rest[len(parts[0]):]
	}
	return sum, nil
}
