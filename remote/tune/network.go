package tune

import (
	"encoding/json"
	"fmt"
	"slices"

	"mpf/remote/inventory"
)

// A device is an interface as ip(8) describes it.
type device struct {
	Name      string   `json:"ifname"`
	Flags     []string `json:"flags"`
	Addresses []struct {
		Local  string `json:"local"`
		Prefix int    `json:"prefixlen"`
	} `json:"addr_info"`
}

func (d device) has(address string) bool {
	for _, a := range d.Addresses {
		if a.Local == address {
			return true
		}
	}
	return false
}

// devices lists the interfaces of the host. Without ip(8) that is missing.
func (p *planner) devices() ([]device, bool) {
	var all []device
	return all, p.askJSON(&all, "ip", "-json", "address", "show")
}

// askJSON reads what a program printed. What it refuses is missing on the host.
func (p *planner) askJSON(into any, argv ...string) bool {
	if p.err != nil {
		return false
	}
	text, err := p.machine.Ask(p.ctx, argv...)
	if err == nil {
		err = json.Unmarshal([]byte(text), into)
	}
	if err != nil && p.ctx.Err() != nil {
		p.err = err
	} else if err != nil {
		p.missing(fmt.Sprintf("install %q on the host (iproute2)", argv[0]), "%v", err)
	}
	return err == nil
}

// address sets the address of an interface, and brings it up.
func (p *planner) address(i inventory.Interface) {
	all, ok := p.devices()
	if !ok {
		return
	}
	at := named(all, i.Device)
	if at < 0 {
		p.noDevice(all, i.Device)
		return
	}
	full := i.Address + "/" + i.Prefix
	if all[at].has(i.Address) {
		p.stands(i.Device, full)
	} else {
		p.add(Step{
			Network: true,
			Do:      []string{"ip", "address", "add", full, "dev", i.Device},
			Undo:    []string{"ip", "address", "del", full, "dev", i.Device},
			Made:    made{look: []string{"ip", "-oneline", "address", "show", "dev", i.Device, "to", i.Address}},
			Value:   full,
		})
	}
	if !slices.Contains(all[at].Flags, "UP") {
		p.add(Step{
			Network: true,
			Do:      []string{"ip", "link", "set", "dev", i.Device, "up"},
			Undo:    []string{"ip", "link", "set", "dev", i.Device, "down"},
			Made:    made{look: []string{"ip", "-oneline", "link", "show", "dev", i.Device, "up"}},
			Before:  "down", Value: "up",
		})
	}
}

func deviceNames(all []device) string {
	text := ""
	for _, d := range all {
		if text != "" {
			text += ", "
		}
		text += d.Name
	}
	return text
}

// named finds a device, or is -1.
func named(all []device, name string) int {
	return slices.IndexFunc(all, func(d device) bool { return d.Name == name })
}

func (p *planner) noDevice(all []device, name string) {
	p.missing("name one of "+deviceNames(all), "the host has no interface %q", name)
}

// deviceOf is the name in the kernel of an interface. One whose address is to be
// set was missed there already.
func (p *planner) deviceOf(i inventory.Interface) (string, bool) {
	all, ok := p.devices()
	if !ok {
		return "", false
	}
	if i.Device != "" {
		found := named(all, i.Device) >= 0
		if !found && i.Prefix == "" {
			p.noDevice(all, i.Device)
		}
		return i.Device, found
	}
	for _, d := range all {
		if d.has(i.Address) {
			return d.Name, true
		}
	}
	p.missing(fmt.Sprintf("write it with its device: interfaces: {%s: {address: %s, device: eth1}}", i.Name, i.Address),
		"no interface of the host has the address %s", i.Address)
	return "", false
}
