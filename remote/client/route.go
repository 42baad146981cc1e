package client

import (
	"context"
	"fmt"

	"mpf/remote/sshconfig"
)

// maxHops bounds a way whose configuration leads in a circle.
const maxHops = 8

// A Destination is where to go, as it would be given to ssh. User and Port may
// be empty.
type Destination struct {
	User, Host, Port string
}

// route is the settings of every hop to a destination, itself the last.
func route(ctx context.Context, config *sshconfig.Config, d Destination) ([]sshconfig.Settings, error) {
	s, err := config.Resolve(ctx, d.Host, d.User, d.Port)
	if err != nil {
		return nil, err
	}
	hops := []sshconfig.Settings{s}
	for len(hops) <= maxHops {
		first := hops[0]
		if len(first.Jumps) == 0 || jumpsToItself(first) {
			return hops, nil
		}
		before := make([]sshconfig.Settings, len(first.Jumps))
		for i, j := range first.Jumps {
			if before[i], err = config.Resolve(ctx, j.Host, j.User, j.Port); err != nil {
				return nil, err
			}
		}
		hops = append(before, hops...)
	}
	return nil, fmt.Errorf("ProxyJump of %q leads through more than %d hops", d.Host, maxHops)
}

// jumpsToItself tells a jump host that the configuration of all hosts matches.
func jumpsToItself(s sshconfig.Settings) bool {
	return len(s.Jumps) == 1 && s.Jumps[0].Host == s.Alias
}
