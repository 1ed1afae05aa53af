package gateway

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"

	"github.com/loopwatch/loopwatch/pkg/actions"
)

// Options are what a command line says of a gateway: where it listens and whom
// it lets in.
type Options struct {
	HTTP        string // host:port; port 0 takes a free one
	TokensFile  string // empty: no tokens, which only the loopback interface may do without
	TLSCert     string // PEM files; both or none
	TLSKey      string
	Hosts       []string // names by which it is reached, beside its address and the certificate's
	OperatorKey string   // secret key file that signs operators' acts; empty: they are refused
	MaxBody     int64    // bytes of a request's body; 0 means DefaultBody
}

// DefaultBody is the largest body in bytes where nothing else is configured.
const DefaultBody = 1 << 20

// Front is a gateway's side towards its clients, ready to use.
type Front struct {
	Addr     string
	Tokens   *Tokens          // nil where there are none
	Cert     *tls.Certificate // nil where there is no TLS
	Hosts    []string
	Operator actions.Signer // the zero Signer where operators' acts are refused
	MaxBody  int64
}

// Load reads the files that the options name. The error names everything that
// is wrong, all at once, each by its flag.
func (o Options) Load() (Front, error) {
	f := Front{Addr: o.HTTP, Hosts: o.Hosts, MaxBody: o.MaxBody}
	if f.MaxBody == 0 {
		f.MaxBody = DefaultBody
	}
	var faults []error
	fault := func(flag string, err error) {
		if err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", flag, err))
		}
	}
	local, err := loopback(o.HTTP)
	fault("--http", err)
	if err == nil && !local && (o.TLSCert == "" || o.TokensFile == "") {
		fault("--http", fmt.Errorf("%s is not the loopback interface: give --tls-cert, --tls-key and --tokens, or listen on 127.0.0.1", o.HTTP))
	}
	if o.TokensFile != "" {
		f.Tokens, err = ReadTokens(o.TokensFile)
		fault("--tokens", err)
	}
	switch {
	case (o.TLSCert == "") != (o.TLSKey == ""):
		fault("--tls-cert, --tls-key", errors.New("want both or none"))
	case o.TLSCert != "":
		cert, err := tls.LoadX509KeyPair(o.TLSCert, o.TLSKey)
		fault("--tls-cert, --tls-key", err)
		f.Cert = &cert
	}
	if o.OperatorKey != "" {
		f.Operator, err = readSigner(o.OperatorKey)
		fault("--operator-key", err)
		if o.TokensFile == "" {
			fault("--operator-key", errors.New("needs --tokens with one of role operator: without tokens nobody is an operator"))
		}
	}
	for _, h := range o.Hosts {
		if h == "" || strings.ContainsAny(h, "/: ") && net.ParseIP(h) == nil {
			fault("--host", fmt.Errorf("%q is not a host name: leave scheme and port out", h))
		}
	}
	if f.MaxBody < 1024 || f.MaxBody > 64<<20 {
		fault("--max-body", fmt.Errorf("%d is not from 1024 to %d", f.MaxBody, 64<<20))
	}
	return f, errors.Join(faults...)
}

// readSigner reads a secret key that only its owner may read.
func readSigner(path string) (actions.Signer, error) {
	text, err := readSecret(path)
	if err != nil {
		return actions.Signer{}, err
	}
	return actions.ParseSigner(string(text))
}

// readSecret reads a file that only its owner may read.
func readSecret(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("%s: mode %o lets others read it: chmod 600 it", path, info.Mode().Perm())
	}
	return os.ReadFile(path)
}

// loopback reports whether an address is on the loopback interface.
func loopback(addr string) (bool, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return false, err
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return false, fmt.Errorf("address %s: port %q is not a number from 0 to 65535", addr, port)
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback(), nil
}
