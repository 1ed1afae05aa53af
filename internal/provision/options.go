package provision

import (
	"errors"
	"fmt"
	"net"
	"slices"

	"github.com/loopwatch/loopwatch/pkg/events"
)

// Options say what to write. A zero field means what the directory was written
// with before, and in a new directory what New says.
type Options struct {
	Dir        string
	Tenants    []string // each gets an account of its own for its workers
	Agents     []string // each gets a worker's seed in every tenant
	Partitions int      // P of the mapping from lw.ev to lw.evp; fixed once it is written
	Replicas   int      // copies of streams and buckets, for whoever makes them
	Listen     string   // host:port of the server
	TLSCert    string   // path of the server's certificate, PEM; any address but loopback needs one
	TLSKey     string   // path of its key, PEM
	TLSCA      string   // path of the authority clients verify the server by; empty means the system's
	MaxStore   int64    // bytes JetStream may use on disk
}

// The values of a new directory.
const (
	newPartitions = 16
	newListen     = "127.0.0.1:4222"
	newStore      = 64 << 30
)

// note is what a directory was written with.
type note struct {
	V          int      `json:"v"`
	Tenants    []string `json:"tenants"`
	Agents     []string `json:"agents"`
	Partitions int      `json:"partitions"`
	Replicas   int      `json:"replicas"`
	Listen     string   `json:"listen"`
	TLSCert    string   `json:"tls_cert,omitempty"`
	TLSKey     string   `json:"tls_key,omitempty"`
	TLSCA      string   `json:"tls_ca,omitempty"`
	MaxStore   int64    `json:"max_store"`
}

// merge returns what is to be written: the options over what the directory
// says, over the values of a new one.
func (o Options) merge(have note) note {
	return note{
		V:          1,
		Tenants:    list(o.Tenants, have.Tenants, events.DefaultTenant),
		Agents:     list(o.Agents, have.Agents, events.DefaultAgent),
		Partitions: first(o.Partitions, have.Partitions, newPartitions),
		Replicas:   first(o.Replicas, have.Replicas, 1),
		Listen:     first(o.Listen, have.Listen, newListen),
		TLSCert:    first(o.TLSCert, have.TLSCert, ""),
		TLSKey:     first(o.TLSKey, have.TLSKey, ""),
		TLSCA:      first(o.TLSCA, have.TLSCA, ""),
		MaxStore:   first(o.MaxStore, have.MaxStore, newStore),
	}
}

// first is the first value that is not zero.
func first[T comparable](values ...T) (v T) {
	for _, x := range values {
		if x != v {
			return x
		}
	}
	return v
}

// list is the first list that is not empty, sorted and without repetition.
func list(given, have []string, fallback string) []string {
	out := slices.Clone(given)
	if len(out) == 0 {
		out = slices.Clone(have)
	}
	if len(out) == 0 {
		out = []string{fallback}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// check names everything that cannot be, all at once.
func (n note) check(have note) error {
	var errs []error
	bad := func(broken bool, format string, v ...any) {
		if broken {
			errs = append(errs, fmt.Errorf(format, v...))
		}
	}
	for _, l := range []struct {
		flag  string
		names []string
	}{{"--tenants", n.Tenants}, {"--agents", n.Agents}} {
		for _, name := range l.names {
			bad(!events.ValidName(name), "%s: %q is no name: letters, digits, -, _ and =XX, at most %d bytes", l.flag, name, events.MaxName)
		}
	}
	bad(n.Partitions < 1 || n.Partitions > events.MaxPartitions, "--partitions: %d, must be 1 to %d", n.Partitions, events.MaxPartitions)
	bad(have.Partitions != 0 && n.Partitions != have.Partitions,
		"--partitions: %d, but the directory was written for %d; the count is fixed when a bus is made", n.Partitions, have.Partitions)
	bad(n.Replicas < 1 || n.Replicas > 5, "--replicas: %d, must be 1 to 5", n.Replicas)
	bad(n.MaxStore < 1<<20, "--max-store: %d bytes, must be 1048576 or more", n.MaxStore)
	bad((n.TLSCert == "") != (n.TLSKey == ""), "--tls-cert and --tls-key: one is nothing without the other")
	host, _, err := net.SplitHostPort(n.Listen)
	bad(err != nil, "--listen: %v", err)
	bad(err == nil && !loopback(host) && n.TLSCert == "",
		"--listen: %s is reached from elsewhere and takes no connection without TLS: give --tls-cert and --tls-key", n.Listen)
	return errors.Join(errs...)
}

// loopback reports whether only this host reaches an address.
func loopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}
