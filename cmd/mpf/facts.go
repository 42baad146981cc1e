package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"mpf/engine"
	"mpf/remote/facts"
	"mpf/results/campaign"
	"mpf/results/grid"
)

// hostFacts are the facts of the hosts of one invocation, by host.
type hostFacts map[string]map[string]any

// recordFacts keeps what the hosts are beside the runs of this invocation, and
// says how they differ from those that earlier rows were measured on.
func (s *session) recordFacts() error {
	now := hostFacts{}
	for _, r := range s.fleet.Reached {
		if r.Host != nil {
			now[r.Name] = r.Host.Info().Facts
		}
	}
	s.before = now
	text, err := json.MarshalIndent(now, "", "  ")
	if err != nil {
		return err
	}
	if before, err := s.earlierFacts(); err != nil {
		s.say.warn("the hosts cannot be compared with those of earlier rows: %v", err)
	} else if before != nil {
		s.sayFactChanges(before, text)
	}
	for _, r := range s.fleet.Reached {
		if r.Host == nil {
			continue
		}
		if found := noises(r.Host.Info()); len(found) > 0 {
			s.say.warn("host %s is noisy: %s", r.Name, joined(found))
		}
	}
	name := fmt.Sprintf("hosts-%04d.json", s.campaign.Summary().Invocation)
	return s.campaign.AddInput(campaign.Input{Path: name, Data: text})
}

// earlierFacts reads the facts of the newest earlier invocation that has some.
func (s *session) earlierFacts() (hostFacts, error) {
	dir := os.DirFS(s.dir)
	files, err := fs.Glob(dir, "inputs/*/hosts-*.json")
	if err != nil || len(files) == 0 {
		return nil, err
	}
	newest := slices.MaxFunc(files, func(a, b string) int { return strings.Compare(path.Base(a), path.Base(b)) })
	text, err := fs.ReadFile(dir, newest)
	if err != nil {
		return nil, err
	}
	var earlier hostFacts
	return earlier, json.Unmarshal(text, &earlier)
}

func (s *session) sayFactChanges(before hostFacts, text []byte) {
	var now hostFacts
	if err := json.Unmarshal(text, &now); err != nil {
		s.say.warn("%v", err)
		return
	}
	for _, host := range sorted(now) {
		for _, change := range factChanges(before[host], now[host]) {
			s.say.warn("host %s is not what it was when earlier rows were measured: %s", host, change)
		}
	}
}

// factChanges lists what differs of one host, fact by fact. A host that was not
// there before differs in nothing.
func factChanges(before, now map[string]any) []string {
	if before == nil {
		return nil
	}
	both := map[string]any{}
	for _, known := range []map[string]any{before, now} {
		for name := range known {
			both[name] = nil
		}
	}
	var changes []string
	for _, name := range sorted(both) {
		was, is := factText(before[name]), factText(now[name])
		if was != is && !cameLater(name, before[name]) && !slices.Contains(facts.Passing(), name) {
			changes = append(changes, fmt.Sprintf("%s was %s, now %s", name, was, is))
		}
	}
	return changes
}

func factText(v engine.Value) string {
	if v == nil {
		return "unknown"
	}
	return fmt.Sprintf("%q", grid.Clip(fmt.Sprint(v), 80))
}
