package main

import (
	"context"
	"path/filepath"
	"time"

	"mpf/engine"
	"mpf/engine/execute"
	"mpf/remote"
)

// reach connects to the hosts that take part, once.
func (s *session) reach() error {
	if s.fleet != nil {
		return nil
	}
	fleet, err := remote.Open(s.ctx, s.cluster, remote.Options{
		Hosts: s.placement.Hosts, Shared: s.options.shared, AcceptNew: s.options.acceptNew, Tools: s.experiment.Tools,
		Link: remote.LinkOptions{Campaign: campaignKey(s.dir)},
	})
	s.fleet = fleet
	if fleet != nil {
		for _, text := range fleet.Warnings {
			s.say.warn("%s", text)
		}
		if err == nil {
			err = s.tune()
		}
		s.surroundings.note(fleet)
	}
	return err
}

// tune makes the changes that the cluster file declares of the hosts that take
// part, and says what of them is missing on a host.
func (s *session) tune() error {
	if err := s.fleet.Tune(s.ctx, s.cluster); err != nil {
		return err
	}
	for _, r := range s.fleet.Reached {
		for _, c := range r.Host.Tuned() {
			if c.Missing != "" {
				s.say.warn("host %s: %s is not set: %s", r.Name, c.Name, c.Missing)
			}
		}
	}
	return nil
}

// campaignKey names the campaign to the agents, so that those which an earlier
// invocation left behind are ended.
func campaignKey(dir string) string {
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return dir
	}
	return absolute
}

func (s *session) closeHosts() {
	if s.fleet == nil {
		return
	}
	s.warnOf(s.untune)
	s.warnOf(s.fleet.Close)
}

// lastPatience is how long hosts may take for what is done at the end.
const lastPatience = 20 * time.Second

// untune puts the hosts' settings back, also when the invocation was
// interrupted.
func (s *session) untune() error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(s.ctx), lastPatience)
	defer cancel()
	return s.fleet.Untune(ctx)
}

// warnOf says what went wrong with an end that hinders nobody.
func (s *session) warnOf(end func() error) {
	if err := end(); err != nil {
		s.say.warn("%v", err)
	}
}

// groups gives the loop the hosts as the cluster file groups them.
func (s *session) groups() []execute.Group {
	groups := make([]execute.Group, len(s.placement.Groups))
	for i, placed := range s.placement.Groups {
		g := execute.Group{Name: placed.Name, Roles: map[string][]engine.Host{}, Hosts: s.members(placed.Name), Links: map[string]engine.Link{}}
		for r, names := range placed.Roles {
			role := s.experiment.Roles[r].Name
			for _, name := range names {
				g.Roles[role] = append(g.Roles[role], s.fleet.Host(name))
			}
		}
		for _, link := range s.cluster.Links {
			g.Links[link.Name], _ = s.cluster.Link(link.Name)
		}
		groups[i] = g
	}
	return groups
}

// members returns the hosts of a group by name; all of them without groups.
func (s *session) members(group string) map[string]engine.Host {
	hosts := map[string]engine.Host{}
	for _, name := range s.placement.Hosts {
		if group == "" || s.isMember(group, name) {
			hosts[name] = s.fleet.Host(name)
		}
	}
	return hosts
}

func (s *session) isMember(group, host string) bool {
	for _, g := range s.cluster.Groups {
		for _, name := range g.Hosts {
			if g.Name == group && name == host {
				return true
			}
		}
	}
	return false
}
