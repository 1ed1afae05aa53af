package natsbus

import (
	"errors"
	"fmt"

	"github.com/nats-io/nats.go"
)

// identity is how a connection says who it is and verifies whom it talks to.
func (d Dial) identity() (opts []nats.Option, err error) {
	switch {
	case d.Creds != "" && d.NKey != "":
		return nil, errors.New("connect: both a credentials file and an nkey are given")
	case d.Creds != "":
		opts = append(opts, nats.UserCredentials(d.Creds))
	case d.NKey != "":
		seed, err := nats.NkeyOptionFromSeed(d.NKey)
		if err != nil {
			return nil, fmt.Errorf("read nkey %s: %w", d.NKey, err)
		}
		opts = append(opts, seed)
	}
	if d.Inbox != "" {
		opts = append(opts, nats.CustomInboxPrefix(d.Inbox))
	}
	if d.TLSCA != "" {
		opts = append(opts, nats.RootCAs(d.TLSCA))
	}
	switch {
	case (d.TLSCert == "") != (d.TLSKey == ""):
		return nil, errors.New("connect: a TLS certificate is nothing without its key")
	case d.TLSCert != "":
		opts = append(opts, nats.ClientCert(d.TLSCert, d.TLSKey))
	}
	return opts, nil
}
