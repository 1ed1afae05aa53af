package natsbus

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/nats-io/jsm.go/natscontext"
	"github.com/nats-io/nats.go"
)

// Dial says which NATS to connect to. With neither URL nor Context it is
// natscli's selected context, or else nats://127.0.0.1:4222.
type Dial struct {
	URL     string       // servers, comma separated
	Context string       // name of a natscli context; not together with URL
	Creds   string       // path of a credentials file; overrides the context's
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
	opts := d.options()
	if d.URL == "" {
		nc, err := natscontext.New(d.Context, true)
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

func (d Dial) options() []nats.Option {
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
	if d.Creds != "" {
		opts = append(opts, nats.UserCredentials(d.Creds))
	}
	return opts
}

// Await returns when nc is connected, or with ctx's error and the reason why it is not.
func Await(ctx context.Context, nc *nats.Conn) error {
	changed := nc.StatusChanged(nats.CONNECTED, nats.CLOSED)
	defer nc.RemoveStatusListener(changed)
	for !nc.IsConnected() {
		if nc.IsClosed() {
			return fmt.Errorf("await NATS: %w", nats.ErrConnectionClosed)
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("await NATS: %w", errors.Join(ctx.Err(), nc.LastError()))
		}
	}
	return nil
}
