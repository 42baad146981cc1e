package inventory

import (
	"slices"
	"strconv"
)

// resolve looks up the names that the file uses and gives hosts that are part
// of another the way to that one.
func (r *reader) resolve() {
	for _, u := range r.uses {
		if _, ok := r.cluster.Host(u.node.Value); !ok {
			r.mistake(u.node, r.hostHint(u.node.Value), "%s: no host %q", u.subject, u.node.Value)
		}
	}
	r.resolveLinks()
	r.checkShapes()
	r.resolveGroups()
	for i := range r.cluster.Hosts {
		r.inherit(&r.cluster.Hosts[i])
	}
}

func (r *reader) hostHint(name string) string {
	names := make([]string, len(r.cluster.Hosts))
	for i, h := range r.cluster.Hosts {
		names[i] = h.Name
	}
	return suggestion(name, names)
}

func (r *reader) resolveLinks() {
	for _, u := range r.linkEnds {
		host, ok := r.cluster.Host(u.end.Host)
		if !ok {
			r.mistake(u.node, r.hostHint(u.end.Host), "%s: no host %q", u.subject, u.end.Host)
			continue
		}
		var names []string
		for _, i := range host.Interfaces {
			names = append(names, i.Name)
		}
		if !slices.Contains(names, u.end.Interface) {
			hint := suggestion(u.end.Interface, names)
			if hint == "" {
				hint = "add interfaces: {" + u.end.Interface + ": address} to the host"
			}
			r.mistake(u.node, hint, "%s: host %q has no interface %q", u.subject, u.end.Host, u.end.Interface)
		}
	}
}

// checkShapes refuses an interface that two links shape.
func (r *reader) checkShapes() {
	first := map[End]string{}
	for _, l := range r.cluster.Links {
		for _, end := range l.Ends {
			if name, double := first[end]; double && name != l.Name && l.Shaped() {
				r.mistakes = append(r.mistakes, mistakeAt(l.Pos, "say delay, rate and loss of an interface once",
					"link %q: %s.%s is shaped by link %q already", l.Name, end.Host, end.Interface, name))
			} else if l.Shaped() {
				first[end] = l.Name
			}
		}
	}
}

// resolveGroups refuses a host of two groups: two runs would share it.
func (r *reader) resolveGroups() {
	group := map[string]string{}
	for _, g := range r.cluster.Groups {
		for _, host := range g.Hosts {
			if first, double := group[host]; double && first != g.Name {
				r.mistakes = append(r.mistakes, groupMistake(g, host, first))
			}
			group[host] = g.Name
		}
	}
}

// inherit follows h.Of to the host that is reached by itself.
func (r *reader) inherit(h *Host) {
	seen := []string{h.Name}
	for at := *h; at.Of != ""; {
		parent, ok := r.cluster.Host(at.Of)
		if !ok {
			return
		}
		if slices.Contains(seen, parent.Name) {
			r.mistakes = append(r.mistakes, mistakeAt(h.Pos, "", "host %s: part of itself", strconv.Quote(h.Name)))
			return
		}
		seen = append(seen, parent.Name)
		h.take(parent)
		at = parent
	}
}

// take fills what h leaves open from the host that it is part of.
func (h *Host) take(parent Host) {
	if h.Way == "" {
		h.Way, h.SSH, h.Exec = parent.Way, parent.SSH, parent.Exec
	}
	for _, f := range []struct{ own, parent *string }{
		{&h.Namespace, &parent.Namespace}, {&h.CPUs, &parent.CPUs}, {&h.Become, &parent.Become},
	} {
		if *f.own == "" {
			*f.own = *f.parent
		}
	}
	h.Tune = beside(h.Tune, parent.Tune)
}
