package client

import (
	"fmt"
	"net"

	"mpf/remote/sshconfig"
)

// network is how net calls the address family.
func network(s sshconfig.Settings) string {
	switch s.AddressFamily {
	case "inet":
		return "tcp4"
	case "inet6":
		return "tcp6"
	}
	return "tcp"
}

// source is the address that connections to a hop come from, nil for any.
func source(s sshconfig.Settings) (net.Addr, error) {
	switch {
	case s.BindAddress != "":
		addr, err := net.ResolveTCPAddr(network(s), net.JoinHostPort(s.BindAddress, "0"))
		if err != nil {
			return nil, fmt.Errorf("BindAddress %q: %w", s.BindAddress, err)
		}
		return addr, nil
	case s.BindInterface != "":
		return interfaceAddress(s)
	}
	return nil, nil
}

// interfaceAddress is the first address of the interface that can reach beyond
// its link, of the family that is asked for or else of IPv4.
func interfaceAddress(s sshconfig.Settings) (net.Addr, error) {
	device, err := net.InterfaceByName(s.BindInterface)
	if err != nil {
		return nil, fmt.Errorf("BindInterface %q: %w", s.BindInterface, err)
	}
	addrs, err := device.Addrs()
	if err != nil {
		return nil, fmt.Errorf("BindInterface %q: %w", s.BindInterface, err)
	}
	for _, addr := range addrs {
		ip, ok := addr.(*net.IPNet)
		if ok && !ip.IP.IsLinkLocalUnicast() && (ip.IP.To4() == nil) == (s.AddressFamily == "inet6") {
			return &net.TCPAddr{IP: ip.IP}, nil
		}
	}
	return nil, fmt.Errorf("BindInterface %q: it has no address to connect from", s.BindInterface)
}
