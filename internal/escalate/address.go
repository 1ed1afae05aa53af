package escalate

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"syscall"
)

// errPrivate says that an address is not one of the public internet.
var errPrivate = errors.New("is no public address; --webhook-allow-private allows it")

// special are the networks beside those that netip knows which are not public,
// or which carry an IPv4 address inside and so may lead anywhere.
var special = prefixes(
	"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15",
	"198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4",
	"::/96", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20",
	"5f00::/16", "fec0::/10",
)

func prefixes(list ...string) []netip.Prefix {
	out := make([]netip.Prefix, len(list))
	for i, s := range list {
		out[i] = netip.MustParsePrefix(s)
	}
	return out
}

// public returns nil for an address of the public internet. One that is IPv4
// mapped into IPv6 is judged as what it is.
func public(a netip.Addr) error {
	a = a.Unmap().WithZone("")
	broken := !a.IsValid() || a.IsLoopback() || a.IsPrivate() || a.IsUnspecified() || !a.IsGlobalUnicast()
	for _, p := range special {
		broken = broken || p.Contains(a)
	}
	if broken {
		return fmt.Errorf("%s %w", a, errPrivate)
	}
	return nil
}

// checkLiteral judges a host that is an address; a name is judged when it is
// dialed.
func checkLiteral(host string) error {
	a, err := netip.ParseAddr(host)
	if err != nil {
		return nil //nolint:nilerr // a name
	}
	return public(a)
}

// onlyPublic is called by the dialer between resolving and connecting, with the
// address that will be connected to, so that no name leads elsewhere.
func onlyPublic(_, address string, _ syscall.RawConn) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("judge address: %w", err)
	}
	a, err := netip.ParseAddr(host)
	if err != nil {
		return fmt.Errorf("judge address: %w", err)
	}
	return public(a)
}
