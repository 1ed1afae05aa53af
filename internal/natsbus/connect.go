package natsbus

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/nats-io/jsm.go/natscontext"
	"github.com/nats-io/nats.go"
)

// Dial says which NATS to connect to. With neither URL nor Context it is
// natscli's selected context, or else nats://127.0.0.1:4222.
type Dial struct {
	URL     string       // servers, comma separated
	Context string       // name of a natscli context, or path of one (it ends in .json); not together with URL
	Creds   string       // path of a credentials file; overrides the context's
	NKey    string       // path of an nkey seed; overrides the context's, not together with Creds
	Inbox   string       // prefix of the connection's inboxes, which its permissions may demand; empty means the context's, or _INBOX
	TLSCA   string       // path of the authority the server is verified by, PEM; empty means the context's, or the system's
	TLSCert string       // path of our certificate, PEM, where the server wants one; with TLSKey
	TLSKey  string       // path of its key, PEM
	Name    string       // what the server shows of this connection
	Logger  *slog.Logger // receives disconnects, reconnects and asynchronous errors; nil discards them
}

// Connect connects, or returns a connection that keeps trying in the
// background where no server answers yet; Await waits for it. It reconnects
// for ever. Nothing is buffered while it is away: what is published then
// fails, so that nothing stale leaves later.
func Connect(d Dial) (*nats.Conn, error) {
	if d.URL != "" && d.Context != "" {
		return nil, errors.New("connect: both a URL and a context are given")
	}
	opts, err := d.options()
	if err != nil {
		return nil, err
	}
	if d.URL == "" {
		load := natscontext.NewFromFile
		if !strings.HasSuffix(d.Context, ".json") {
			load = func(name string, o ...natscontext.Option) (*natscontext.Context, error) {
				return natscontext.New(name, true, o...)
			}
		}
		nc, err := load(d.Context)
		if err != nil {
			return nil, fmt.Errorf("load NATS context: %w", err)
		}
		if nc.JSDomain() != "" || nc.JSAPIPrefix() != "" {
			return nil, fmt.Errorf("load NATS context %q: a JetStream domain or API prefix is not supported", nc.Name)
		}
		if opts, err = nc.NATSOptions(opts...); err != nil {
			return nil, fmt.Errorf("read NATS context: %w", err)
		}
		if d.URL = nc.ServerURL(); d.URL == "" {
			d.URL = nats.DefaultURL
		}
	}
	nc, err := nats.Connect(d.URL, opts...)
	if err != nil {
		return nil, fmt.Errorf("connect to NATS: %w", err)
	}
	return nc, nil
}

func (d Dial) options() ([]nats.Option, error) {
	log := d.Logger
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	opts := []nats.Option{
		nats.Name(d.Name), nats.MaxReconnects(-1), nats.RetryOnFailedConnect(true),
		nats.ReconnectWait(250 * time.Millisecond), nats.ReconnectJitter(250*time.Millisecond, 250*time.Millisecond),
		nats.ReconnectBufSize(-1), nats.PingInterval(5 * time.Second), nats.MaxPingsOutstanding(2),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil {
				log.Warn("lost NATS", "err", err)
			}
		}),
		nats.ReconnectHandler(func(nc *nats.Conn) { log.Info("NATS is back", "server", nc.ConnectedServerName()) }),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { log.Warn("NATS reports", "err", err) }),
	}
	who, err := d.identity()
	if err != nil {
		return nil, err
	}
	return append(opts, who...), nil
}

// Await returns when nc is connected to a server that is not known to be
// unsafe, or with ctx's error and the reason why it is not.
func Await(ctx context.Context, nc *nats.Conn) error {
	changed := nc.StatusChanged(nats.CONNECTED, nats.CLOSED)
	defer nc.RemoveStatusListener(changed)
	for !nc.IsConnected() {
		if nc.IsClosed() {
			return fmt.Errorf("await NATS: %w", errors.Join(nats.ErrConnectionClosed, nc.LastError()))
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("await NATS: %w", errors.Join(ctx.Err(), nc.LastError()))
		}
	}
	if err := checkVersion(nc.ConnectedServerVersion()); err != nil {
		return fmt.Errorf("connect to %s: %w", nc.ConnectedUrlRedacted(), err)
	}
	return nil
}
