package app

import (
	"context"
	"fmt"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/loopwatch/loopwatch/internal/gateway"
	"github.com/loopwatch/loopwatch/internal/natsbus"
	"github.com/loopwatch/loopwatch/internal/reportapi"
	"github.com/loopwatch/loopwatch/pkg/actions"
)

// gateway serves HTTP in this process, over a connection of its own.
func (a *App) gateway(reg *prometheus.Registry) (part, error) {
	d := a.opts.Dial
	if a.opts.Embedded {
		d = natsbus.Dial{URL: a.URL}
	}
	d.Name, d.Logger = "loopwatch gateway "+a.instance, a.opts.Logger
	nc, err := natsbus.Connect(d)
	if err != nil {
		return part{}, fmt.Errorf("connect the gateway: %w", err)
	}
	a.onClose(func() error { nc.Close(); return nil })
	bus, err := natsbus.New(nc, a.bus.Partitions())
	if err != nil {
		return part{}, err
	}
	g, err := gateway.New(gateway.Config{
		Front: *a.opts.HTTP, Conn: nc, Bus: bus, Trusted: a.trusted(),
		Ready: a.ready, Registry: reg, Logger: a.opts.Logger, Extra: []gateway.Route{reportapi.Route(bus)},
	})
	if err != nil {
		return part{}, err
	}
	l, url, err := a.opts.HTTP.Listen()
	if err != nil {
		return part{}, err
	}
	a.HTTPURL = url
	a.onClose(func() error { g.Close(); _ = l.Close(); return nil }) // where it is not served any more
	return part{"gateway", func(ctx context.Context) error { return g.Serve(ctx, l) }}, nil
}

// operators are whose acts are obeyed: those who come through this instance,
// and through its gateway.
func (a *App) operators() actions.KeyRing {
	keys := append([]actions.PublicKey{a.Keys.Operator.Public()}, a.opts.Operators...)
	keys = append(keys, a.opts.Trusted...)
	if a.opts.HTTP != nil {
		keys = append(keys, a.opts.HTTP.Operator.Public())
	}
	return actions.NewKeyRing(keys...)
}
