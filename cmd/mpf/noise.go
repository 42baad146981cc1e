package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"mpf/remote/facts"
	"mpf/results/campaign"
)

// endHosts looks at the hosts a last time, puts back what was changed on them,
// and records both. It comes before the campaign is closed.
func (s *session) endHosts() {
	if s.fleet == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(s.ctx), lastPatience)
	defer cancel()
	reports := s.noise(ctx)
	s.warnOf(s.untune)
	for _, r := range s.fleet.Reached {
		if n, measured := reports[r.Name]; measured {
			s.surroundings.end(r, n)
			if words := n.Words(); words != nil {
				s.say.warn("host %s was noisy meanwhile: %s", r.Name, joined(words))
			}
			for _, change := range n.Changed {
				s.say.warn("host %s changed meanwhile: %s", r.Name, change)
			}
		}
	}
	if len(reports) == 0 {
		return
	}
	text, err := json.MarshalIndent(reports, "", "  ")
	if err == nil {
		name := fmt.Sprintf("noise-%04d.json", s.campaign.Summary().Invocation)
		err = s.campaign.AddInput(campaign.Input{Path: name, Data: text})
	}
	if err != nil {
		s.say.warn("the hosts' noise is not recorded: %v", err)
	}
}

// noise compares each host with what it was before the first run of this
// invocation.
func (s *session) noise(ctx context.Context) map[string]facts.Noise {
	reports := map[string]facts.Noise{}
	var lock sync.Mutex
	var all sync.WaitGroup
	for _, r := range s.fleet.Reached {
		if r.Host == nil || s.before[r.Name] == nil {
			continue
		}
		all.Go(func() {
			now := r.Host.Glance(ctx)
			s.surroundings.learn(r.Name, now)
			n := facts.NoiseOf(s.before[r.Name], now)
			if now != nil {
				n.Changed = factChanges(s.before[r.Name], now)
			}
			lock.Lock()
			defer lock.Unlock()
			reports[r.Name] = n
		})
	}
	all.Wait()
	return reports
}

// noiseWords is a report in a line: what is known of it.
func noiseWords(n facts.Noise) string {
	var words []string
	for _, part := range []struct {
		value  *float64
		format string
	}{
		{n.Seconds, "over %.0f s"}, {n.BusyPercent, "busy %.1f %%"}, {n.StealPercent, "stolen %.1f %%"},
		{n.Throttled, "throttled %.0f times"}, {n.SwapIn, "%.0f pages swapped in"}, {n.SwapOut, "%.0f out"},
	} {
		if part.value != nil {
			words = append(words, fmt.Sprintf(part.format, *part.value))
		}
	}
	if n.After == nil {
		words = append(words, "out of reach at the end")
	}
	if n.Rebooted {
		words = append(words, "rebooted meanwhile")
	}
	for _, change := range n.Changed {
		words = append(words, "changed meanwhile: "+change)
	}
	return "noise: " + strings.Join(words, ", ")
}
