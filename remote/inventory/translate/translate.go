package translate

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"mpf/engine"
	"mpf/remote/inventory"
)

// Translate returns the cluster file that an old one stands for, with what of it
// has no counterpart.
func Translate(path string, source []byte) (text string, notes []string, err error) {
	var old oldFile
	if err := yaml.Unmarshal(source, &old); err != nil {
		return "", nil, mistaken(path, strings.TrimPrefix(err.Error(), "yaml: "), "")
	}
	if len(old.Machines) == 0 {
		return "", nil, mistaken(path, "no machines", "is it a cluster file of the Python mpf? it has machines: with hostname: and role:")
	}
	t := &translation{hosts: map[string]*host{}, roles: map[string][]string{}, links: map[string][]linkEnd{}}
	t.file(&old)
	text = t.text(filepath.Base(path))
	if _, err := inventory.Parse(path+" (translated)", []byte(text)); err != nil {
		return "", nil, err
	}
	return text, t.notes, nil
}

func mistaken(path, message, hint string) error {
	return engine.Mistakes{{Pos: engine.Pos{File: path, Line: 1, Col: 1}, Message: strings.ReplaceAll(message, "\n", ";"), Hint: hint}}
}

// A translation gathers hosts, roles and links in the order of the old file.
type translation struct {
	hosts     map[string]*host
	hostOrder []string
	roles     map[string][]string
	roleOrder []string
	links     map[string][]linkEnd
	linkOrder []string
	notes     []string
}

// A host is a line of the new file.
type host struct {
	way        []string // its keys and values beside the interfaces
	interfaces []string
	taken      map[string]bool
}

// A linkEnd is an end of a link that the old file marks on an interface.
type linkEnd struct {
	end       string // host.interface
	direction string
}

func (t *translation) note(format string, args ...any) {
	t.notes = append(t.notes, fmt.Sprintf(format, args...))
}

func (t *translation) file(old *oldFile) {
	for _, key := range slices.Sorted(maps.Keys(old.Global)) {
		switch key {
		case "python_path":
			t.note("global python_path: nothing has to be installed on a host")
		default:
			t.note("global %s: has no counterpart", key)
		}
	}
	if len(old.Controller) > 0 {
		t.note("controller: mpf steers from the machine where it is started, over the connections of ssh alone")
	}
	t.notes = append(t.notes, unknown("", old.Rest)...)
	for _, m := range old.Machines {
		t.machine(m)
	}
}

// machine makes a host of a machine, and one of each of its namespaces. A machine
// that stands there twice is one host.
func (t *translation) machine(m oldMachine) {
	name := plain(m.Hostname)
	destination := m.Hostname
	if m.User != "" {
		destination = m.User + "@" + m.Hostname
	}
	way := []string{"ssh: " + word(destination)}
	if cpus := strings.Join(m.CPUs, ","); cpus != "" {
		way = append(way, "cpus: "+strconv.Quote(cpus))
	}
	name = t.host(name, way)
	t.notes = append(t.notes, unknown("machine "+m.Hostname, m.Rest)...)
	t.play(name, m.Roles)
	t.interfaces(name, m.Interfaces)
	for _, n := range m.Namespaces {
		way := []string{"of: " + word(name)}
		if n.Namespace != "" {
			way = append(way, "namespace: "+word(n.Namespace))
		}
		if cpus := strings.Join(n.CPUs, ","); cpus != "" {
			way = append(way, "cpus: "+strconv.Quote(cpus))
		}
		inner := t.host(plain(name+"-"+cmp.Or(n.Namespace, strings.Join(n.Roles, "-"))), way)
		t.notes = append(t.notes, unknown("namespace "+n.Namespace, n.Rest)...)
		t.play(inner, n.Roles)
		t.interfaces(inner, n.Interfaces)
	}
}

// host returns the name of a host that is reached so: a new one, unless it is
// there.
func (t *translation) host(name string, way []string) string {
	for number, wanted := 2, name; ; number++ {
		known := t.hosts[name]
		if known == nil {
			t.hosts[name] = &host{way: way, taken: map[string]bool{}}
			t.hostOrder = append(t.hostOrder, name)
			return name
		}
		if slices.Equal(known.way, way) {
			return name
		}
		name = fmt.Sprintf("%s-%d", wanted, number)
	}
}

func (t *translation) play(host string, roles []string) {
	for _, role := range roles {
		name := plain(role)
		if name != role {
			t.note("role %q: is called %q here", role, name)
		}
		if _, known := t.roles[name]; !known {
			t.roleOrder = append(t.roleOrder, name)
		}
		if !slices.Contains(t.roles[name], host) {
			t.roles[name] = append(t.roles[name], host)
		}
	}
}

func (t *translation) interfaces(hostName string, old []oldInterface) {
	h := t.hosts[hostName]
	for _, i := range old {
		name := strings.ReplaceAll(plain(i.Name), ".", "-")
		t.notes = append(t.notes, unknown("interface "+i.Name, i.Rest)...)
		if h.taken[name] {
			continue
		}
		h.taken[name] = true
		value := word(i.IP)
		if name != i.Name {
			value = fmt.Sprintf("{address: %s, device: %s}", word(i.IP), word(i.Name))
		}
		h.interfaces = append(h.interfaces, word(name)+": "+value)
		if i.Link != "" {
			t.link(plain(i.Link), linkEnd{hostName + "." + name, i.Direction})
		}
	}
}

func (t *translation) link(name string, end linkEnd) {
	if _, known := t.links[name]; !known {
		t.linkOrder = append(t.linkOrder, name)
	}
	t.links[name] = append(t.links[name], end)
}

// ends returns the two ends of a link, the forward one first.
func (t *translation) ends(name string) ([]string, bool) {
	ends := t.links[name]
	if len(ends) != 2 {
		t.note("link %s: a link has two ends, %d of it are there", name, len(ends))
		return nil, false
	}
	if ends[1].direction == "forward" && ends[0].direction != "forward" {
		ends[0], ends[1] = ends[1], ends[0]
	}
	return []string{word(ends[0].end), word(ends[1].end)}, true
}

// text writes the new file, with the notes as its first comment.
func (t *translation) text(from string) string {
	var hosts, links strings.Builder
	for _, name := range t.hostOrder {
		h := t.hosts[name]
		keys := h.way
		if len(h.interfaces) > 0 {
			keys = append(slices.Clone(keys), "interfaces: {"+strings.Join(h.interfaces, ", ")+"}")
		}
		fmt.Fprintf(&hosts, "  %s: {%s}\n", word(name), strings.Join(keys, ", "))
	}
	for _, name := range t.linkOrder {
		if ends, ok := t.ends(name); ok {
			fmt.Fprintf(&links, "  %s: [%s]\n", word(name), strings.Join(ends, ", "))
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# Translated from %s.\n", from)
	for _, note := range t.notes {
		fmt.Fprintf(&b, "# %s\n", note)
	}
	b.WriteString("hosts:\n" + hosts.String())
	if len(t.roleOrder) > 0 {
		b.WriteString("roles:\n")
		for _, name := range t.roleOrder {
			fmt.Fprintf(&b, "  %s: [%s]\n", word(name), strings.Join(words(t.roles[name]), ", "))
		}
	}
	if links.Len() > 0 {
		b.WriteString("links:\n" + links.String())
	}
	return b.String()
}

func words(names []string) (all []string) {
	for _, name := range names {
		all = append(all, word(name))
	}
	return all
}

// word writes a text as YAML: as it stands where that means itself.
func word(text string) string {
	if regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.@/-]*$`).MatchString(text) && !slices.Contains([]string{"true", "false", "null", "yes", "no", "on", "off", "y", "n"}, strings.ToLower(text)) ||
		regexp.MustCompile(`^[0-9]+\.[0-9]+\.[0-9]+\.[0-9]+$`).MatchString(text) {
		return text
	}
	return strconv.Quote(text)
}

// plain is a name as hosts, roles and links may have it.
func plain(name string) string {
	name = regexp.MustCompile(`[^A-Za-z0-9_.-]`).ReplaceAllString(name, "-")
	return strings.TrimLeft(name, ".-")
}
