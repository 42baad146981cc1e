package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"mpf/cmd/mpf/amount"
	"mpf/engine"
	"mpf/remote"
	"mpf/remote/facts"
	"mpf/remote/inventory"
	"mpf/remote/tune"
)

// hosts reaches the hosts of a cluster and says what they are.
func (p *program) hosts(args []string) error {
	o := newOptions("hosts [-c FILE] [flags]\n\n" +
		"Reaches the hosts of a cluster file, or this machine without one, and says what they are,\n" +
		"how far their clocks are off and what disturbs them.")
	var c choice
	c.registerCluster(o.FlagSet)
	shared := o.Bool("shared-host", false, "look at hosts that a campaign is using")
	acceptNew := o.Bool("accept-new-host-keys", false, "take and note the key of a host never seen before")
	tools := o.StringSlice("tools", nil, "also the versions of these `programs`")
	clean := o.Bool("clean", false, "remove what mpf left on the hosts")
	all := o.Bool("facts", false, "all facts")
	asJSON := o.Bool("json", false, "print JSON, for programs")
	if err := o.parse(p, args, 0, 0); err != nil {
		return err
	}
	cluster, err := readCluster(c.cluster)
	if err != nil {
		return err
	}
	options := remote.Options{Shared: *shared, AcceptNew: *acceptNew, Tools: *tools}
	if *clean {
		return p.clean(cluster, options)
	}
	fleet, err := remote.Open(p.ctx, cluster, options)
	if fleet == nil {
		return err
	}
	defer fleet.Close()
	for _, text := range fleet.Warnings {
		p.say.warn("%s", text)
	}
	if *asJSON {
		return errors.Join(err, p.hostsJSON(fleet))
	}
	p.hostsText(fleet, *all)
	return err
}

func (p *program) clean(cluster *inventory.Cluster, o remote.Options) error {
	cleaned, err := remote.Clean(p.ctx, cluster, o)
	for _, h := range cleaned {
		for _, trace := range h.Removed {
			p.say.print("%-12s removed %s (%.1f MB)\n", h.Name, trace.Path, float64(trace.Bytes)/1e6)
		}
		if len(h.Removed) == 0 && h.Failure == nil {
			p.say.print("%-12s nothing of mpf was there\n", h.Name)
		}
	}
	return err
}

func (p *program) hostsText(fleet *remote.Fleet, all bool) {
	for _, r := range fleet.Reached {
		if r.Failure != nil {
			p.say.print("%-12s not reached (%s)\n", r.Name, r.Failure.Cause)
			continue
		}
		info := r.Host.Info()
		p.say.print("%-12s reached in %s, clock %s\n", r.Name, amount.Duration(r.Took), clockWords(info.Clock))
		for _, words := range [][]string{systemWords(info), machineWords(info)} {
			if len(words) > 0 {
				p.say.print("%-12s %s\n", "", strings.Join(words, ", "))
			}
		}
		for _, tool := range toolWords(info.Facts) {
			p.say.print("%-12s tool %s\n", "", tool)
		}
		for _, noise := range noises(info) {
			p.say.print("%-12s noisy: %s\n", "", noise)
		}
		if all {
			p.facts(info)
		}
	}
}

func (p *program) facts(info engine.HostInfo) {
	for _, name := range sorted(info.Facts) {
		p.say.print("%-12s   %-22s %s\n", "", name, engine.FormatValue(info.Facts[name]))
	}
}

func sorted[V any](m map[string]V) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// hostWords are a host in a line.
func hostWords(info engine.HostInfo) string {
	return strings.Join(append(systemWords(info), machineWords(info)...), ", ")
}

// systemWords say what runs on a host.
func systemWords(info engine.HostInfo) []string {
	return append(factWords(info, "distribution"), factWords(info, "kernel")...)
}

// machineWords say what a host is made of.
func machineWords(info engine.HostInfo) []string {
	words := factWords(info, "cpu_model")
	if cores, ok := info.Facts["cpu_threads"].(int64); ok {
		words = append(words, amount.Count(cores, "thread"))
	}
	if memory, ok := info.Facts["memory_bytes"].(int64); ok {
		words = append(words, fmt.Sprintf("%.1f GiB", float64(memory)/(1<<30)))
	}
	return words
}

// factWords is a fact that is a text; nothing where it is not known.
func factWords(info engine.HostInfo, name string) []string {
	if text, ok := info.Facts[name].(string); ok && text != "" {
		return []string{text}
	}
	return nil
}

func clockWords(c engine.ClockOffset) string {
	return fmt.Sprintf("%+.3f ms ± %.3f ms", milliseconds(c.Offset), milliseconds(c.Bound))
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// noises lists what makes a host's figures doubtful.
func noises(info engine.HostInfo) []string {
	var found []string
	if governor, ok := info.Facts["governor"].(string); ok && governor != "" && governor != "performance" {
		found = append(found, fmt.Sprintf("governor %q", governor))
	}
	if load, ok := info.Facts["load_1"].(float64); ok && load > 0.5 {
		found = append(found, fmt.Sprintf("load %.2f", load))
	}
	for _, word := range sinceBoot(info) {
		found = append(found, word+" since it was started")
	}
	if heavy, ok := info.Facts["heavy_processes"].([]engine.Value); ok {
		for _, process := range heavy {
			found = append(found, fmt.Sprintf("process %q", engine.FormatValue(process)))
		}
	}
	return found
}

// sinceBoot is the noise of a host since its boot: what is counted from zero.
func sinceBoot(info engine.HostInfo) []string {
	zero := map[string]engine.Value{"boot_id": info.Facts["boot_id"], "heavy_processes": info.Facts["heavy_processes"]}
	for _, name := range []string{"uptime_seconds", "cpu_seconds", "steal_seconds", "throttled", "swap_in_pages", "swap_out_pages"} {
		zero[name] = int64(0)
	}
	return facts.NoiseOf(zero, info.Facts).Words()
}

type hostJSON struct {
	Name    string                  `json:"name"`
	Reached bool                    `json:"reached"`
	Cause   engine.Cause            `json:"cause,omitempty"`
	Message string                  `json:"message,omitempty"`
	Seconds float64                 `json:"seconds"`
	Address string                  `json:"address,omitempty"`
	BootID  string                  `json:"boot_id,omitempty"`
	Offset  float64                 `json:"clock_offset_seconds"`
	Bound   float64                 `json:"clock_bound_seconds"`
	Facts   map[string]engine.Value `json:"facts,omitempty"`
	Noise   []string                `json:"noise,omitempty"`
	Tuned   []tune.Change           `json:"tuned,omitempty"`
	Report  *facts.Noise            `json:"noise_report,omitempty"` // of the last invocation
}

func hostOf(r remote.Reached) hostJSON {
	out := hostJSON{Name: r.Name, Reached: r.Failure == nil, Seconds: r.Took.Seconds()}
	if r.Failure != nil {
		out.Cause, out.Message = r.Failure.Cause, r.Failure.Message
		return out
	}
	info := r.Host.Info()
	out.Address, out.BootID, out.Facts, out.Noise = info.Address, info.BootID, info.Facts, noises(info)
	out.Tuned = r.Host.Tuned()
	out.Offset, out.Bound = info.Clock.Offset.Seconds(), info.Clock.Bound.Seconds()
	return out
}

func (p *program) hostsJSON(fleet *remote.Fleet) error {
	for _, r := range fleet.Reached {
		if err := p.say.json(hostOf(r)); err != nil {
			return err
		}
	}
	return nil
}
