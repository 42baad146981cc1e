package inventory

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"mpf/engine"
)

// maxSize bounds a cluster file: a thousand hosts need a tenth of it.
const maxSize = 1 << 20

// Read reads a cluster file. What is wrong in it comes back as
// engine.Mistakes, all at once.
func Read(path string) (*Cluster, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("cluster file %q: %w", path, bare(err))
	}
	if !info.Mode().IsRegular() || info.Size() > maxSize {
		return nil, fmt.Errorf("cluster file %q: not a regular file of at most %d bytes", path, maxSize)
	}
	source, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("cluster file %q: %w", path, bare(err))
	}
	return Parse(path, source)
}

// bare is the error below the path, which the message names already.
func bare(err error) error {
	var at *os.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}

// Parse reads the content of a cluster file. Paths in it are relative to the
// file's folder.
func Parse(path string, source []byte) (*Cluster, error) {
	var document yaml.Node
	if err := yaml.Unmarshal(source, &document); err != nil {
		return nil, engine.Mistakes{syntaxMistake(path, err)}
	}
	r := &reader{file: path, cluster: &Cluster{Path: path, Source: source}}
	if len(document.Content) == 0 {
		r.mistakes = append(r.mistakes, engine.Mistake{
			Pos:     engine.Pos{File: path, Line: 1, Col: 1},
			Message: "cluster file is empty",
			Hint:    "name at least one host: hosts: {node1: {ssh: user@address}}",
		})
		return nil, r.mistakes
	}
	r.readCluster(document.Content[0])
	r.resolve()
	if err := r.mistakes.Err(); err != nil {
		return nil, err
	}
	return r.cluster, nil
}

// yamlLine finds the line in what the YAML parser says; it tells no column.
var yamlLine = regexp.MustCompile(`line (\d+): (.*)`)

func syntaxMistake(path string, err error) engine.Mistake {
	m := engine.Mistake{Pos: engine.Pos{File: path, Line: 1, Col: 1}, Message: "not YAML: " + strings.TrimPrefix(err.Error(), "yaml: ")}
	if found := yamlLine.FindStringSubmatch(err.Error()); found != nil {
		m.Pos.Line, _ = strconv.Atoi(found[1])
		m.Message = "not YAML: " + found[2]
	}
	return m
}

func (r *reader) readCluster(n *yaml.Node) {
	c := r.cluster
	r.fields(n, "cluster file", []field{
		{"hosts", func(n *yaml.Node) { c.Hosts = r.hosts(n) }},
		{"roles", func(n *yaml.Node) { c.Roles = r.members(n, "role") }},
		{"links", func(n *yaml.Node) { c.Links = r.links(n) }},
		{"groups", func(n *yaml.Node) { c.Groups = r.members(n, "group") }},
		{"ssh", func(n *yaml.Node) { c.SSH = r.ssh(n) }},
		{"tune", func(n *yaml.Node) { c.Tune = r.settings(n) }},
		{"lease", func(n *yaml.Node) { c.Lease = r.lease(n) }},
	})
	if len(c.Hosts) == 0 && len(r.mistakes) == 0 {
		r.mistake(n, "name at least one host: hosts: {node1: {ssh: user@address}}", "cluster file: no hosts")
	}
}

func (r *reader) ssh(n *yaml.Node) SSH {
	var s SSH
	r.fields(n, "ssh", []field{
		{"config", func(n *yaml.Node) { s.Config = r.path(n) }},
		{"known_hosts", func(n *yaml.Node) { s.KnownHosts = r.path(n) }},
		{"host_keys", func(n *yaml.Node) { s.AcceptNew = r.oneOf(n, "host_keys", "strict", "accept-new") == "accept-new" }},
	})
	return s
}

// leaseWord is 2 to 999 seconds.
var leaseWord = regexp.MustCompile(`^([2-9]|[1-9][0-9]{1,2})s$`)

func (r *reader) lease(n *yaml.Node) time.Duration {
	text := r.matching(n, "lease", leaseWord, "30s")
	lease, err := time.ParseDuration(text)
	if err != nil {
		return 0 // and a mistake
	}
	return lease
}

// path reads a file name, relative to the cluster file's folder.
func (r *reader) path(n *yaml.Node) string {
	path := r.text(n, "path")
	if path == "" || filepath.IsAbs(path) || strings.HasPrefix(path, "~/") {
		return path
	}
	return filepath.Join(filepath.Dir(r.file), path)
}

// members reads a mapping from a name to hosts.
func (r *reader) members(n *yaml.Node, kind string) []Members {
	var all []Members
	r.entries(n, kind+"s", func(key, value *yaml.Node) {
		r.name(key, kind)
		m := Members{Name: key.Value, Pos: r.pos(key)}
		for _, item := range r.items(value, kind+" "+strconv.Quote(key.Value)) {
			r.uses = append(r.uses, use{node: item, subject: kind + " " + strconv.Quote(key.Value)})
			m.Hosts = append(m.Hosts, item.Value)
		}
		r.noDoubles(value, kind+" "+strconv.Quote(key.Value))
		all = append(all, m)
	})
	return all
}

func (r *reader) links(n *yaml.Node) []Link {
	var all []Link
	r.entries(n, "links", func(key, value *yaml.Node) {
		r.name(key, "link")
		l := Link{Name: key.Value, Pos: r.pos(key)}
		subject := "link " + strconv.Quote(key.Value)
		if resolved(value).Kind != yaml.MappingNode {
			l.Ends = r.ends(value, subject)
			all = append(all, l)
			return
		}
		r.fields(value, subject, []field{
			{"ends", func(n *yaml.Node) { l.Ends = r.ends(n, subject) }},
			{"delay", func(n *yaml.Node) { l.Delay = r.matching(n, subject, delayWord, "10ms") }},
			{"rate", func(n *yaml.Node) { l.Rate = r.matching(n, subject, rateWord, "100mbit") }},
			{"loss", func(n *yaml.Node) { l.Loss = r.matching(n, subject, lossWord, "1%") }},
		})
		all = append(all, l)
	})
	return all
}

var (
	delayWord = regexp.MustCompile(`^[0-9]+(\.[0-9]+)?(us|ms|s)$`)
	rateWord  = regexp.MustCompile(`^[0-9]+(\.[0-9]+)?[kmgt]?bit$`)
	lossWord  = regexp.MustCompile(`^[0-9]+(\.[0-9]+)?%$`)
)

// ends reads the two ends of a link, each `host.interface`.
func (r *reader) ends(n *yaml.Node, subject string) [2]End {
	var ends [2]End
	items := r.items(n, subject)
	if len(items) != 2 {
		r.mistake(n, "write [host.interface, host.interface]", "%s: a link has two ends, not %d", subject, len(items))
		return ends
	}
	for i, item := range items {
		dot := strings.LastIndexByte(item.Value, '.')
		if dot <= 0 || dot == len(item.Value)-1 {
			r.mistake(item, "write host.interface", "%s: %q names no interface of a host", subject, item.Value)
			continue
		}
		ends[i] = End{Host: item.Value[:dot], Interface: item.Value[dot+1:]}
		r.linkEnds = append(r.linkEnds, endUse{node: item, subject: subject, end: ends[i]})
	}
	return ends
}
