package main

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"sync"

	"mpf/remote"
	"mpf/remote/facts"
	"mpf/results/tables"
)

// surroundings are the hosts on which a campaign was measured, for the metadata
// of its tables: each as it was found last.
type surroundings struct {
	lock  sync.Mutex
	hosts []hostJSON
}

type surroundingsJSON struct {
	MPF   string     `json:"mpf"`
	Hosts []hostJSON `json:"hosts"`
}

// recall takes up what an earlier invocation noted.
func (s *surroundings) recall(dir string) {
	file, err := tables.Open(filepath.Join(dir, tables.RunsFile))
	if err != nil {
		return // there is no table yet
	}
	defer file.Close()
	s.lock.Lock()
	defer s.lock.Unlock()
	for _, host := range hostsIn(file) {
		s.put(host, false)
	}
}

// hostsIn returns the hosts that a table's metadata describes.
func hostsIn(file *tables.File) []hostJSON {
	in, err := file.Inputs()
	var known surroundingsJSON
	if err != nil || json.Unmarshal([]byte(in.Manifest), &known) != nil {
		return nil
	}
	return known.Hosts
}

// note takes in the hosts that were reached.
func (s *surroundings) note(fleet *remote.Fleet) {
	s.lock.Lock()
	defer s.lock.Unlock()
	for _, r := range fleet.Reached {
		if r.Failure == nil {
			s.put(hostOf(r), true)
		}
	}
}

// end adds how an invocation left a host, and what disturbed it.
func (s *surroundings) end(r remote.Reached, noise facts.Noise) {
	s.lock.Lock()
	defer s.lock.Unlock()
	for i := range s.hosts {
		if s.hosts[i].Name == r.Name {
			s.hosts[i].Tuned, s.hosts[i].Report = r.Host.Tuned(), &noise
		}
	}
}

func (s *surroundings) put(host hostJSON, newer bool) {
	i := slices.IndexFunc(s.hosts, func(h hostJSON) bool { return h.Name == host.Name })
	switch {
	case i < 0:
		s.hosts = append(s.hosts, host)
	case newer:
		s.hosts[i] = host
	}
}

// text is the surroundings as JSON, or empty where none are known. That something
// of a host cannot be written as JSON is said where it is recorded with the runs.
func (s *surroundings) text() string {
	s.lock.Lock()
	defer s.lock.Unlock()
	if len(s.hosts) == 0 {
		return ""
	}
	text, err := json.Marshal(surroundingsJSON{MPF: mpfVersion(), Hosts: s.hosts})
	if err != nil {
		return ""
	}
	return string(text)
}
