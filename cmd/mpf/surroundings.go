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
	lock   sync.Mutex
	tables []string // of earlier invocations, that tell of hosts and were not yet asked
	hosts  []hostJSON
}

type surroundingsJSON struct {
	MPF   string     `json:"mpf"`
	Hosts []hostJSON `json:"hosts"`
}

// from says in which directory earlier invocations noted hosts. They are recalled
// when a table is made: to open a large one takes its time.
func (s *surroundings) from(dir string) {
	s.tables = append(s.tables, filepath.Join(dir, tables.RunsFile))
}

// recall takes up what earlier invocations noted. Their hosts come first.
func (s *surroundings) recall() {
	noted := s.hosts
	s.hosts = nil
	for _, table := range s.tables {
		s.recallFrom(table)
	}
	s.tables = nil
	for _, host := range noted {
		s.put(host)
	}
}

// recallFrom takes up the hosts of a table that are not known from another.
func (s *surroundings) recallFrom(table string) {
	file, err := tables.Open(table)
	if err != nil {
		return // there is no table yet
	}
	defer file.Close()
	for _, host := range hostsIn(file) {
		if s.find(host.Name) < 0 {
			s.hosts = append(s.hosts, host)
		}
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
			s.put(hostOf(r))
		}
	}
}

// end adds how an invocation left a host, and what disturbed it.
func (s *surroundings) end(r remote.Reached, noise facts.Noise) {
	s.lock.Lock()
	defer s.lock.Unlock()
	if i := s.find(r.Name); i >= 0 {
		s.hosts[i].Tuned, s.hosts[i].Report = r.Host.Tuned(), &noise
	}
}

// put takes in what is known of a host, in the place of what was.
func (s *surroundings) put(host hostJSON) {
	if i := s.find(host.Name); i >= 0 {
		s.hosts[i] = host
		return
	}
	s.hosts = append(s.hosts, host)
}

// find returns where a host stands, or -1.
func (s *surroundings) find(name string) int {
	return slices.IndexFunc(s.hosts, func(h hostJSON) bool { return h.Name == name })
}

// text is the surroundings as JSON, or empty where none are known. That something
// of a host cannot be written as JSON is said where it is recorded with the runs.
func (s *surroundings) text() string {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.recall()
	if len(s.hosts) == 0 {
		return ""
	}
	text, err := json.Marshal(surroundingsJSON{MPF: mpfVersion(), Hosts: s.hosts})
	if err != nil {
		return ""
	}
	return string(text)
}
