package app

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/loopwatch/loopwatch/pkg/state/pebblestore"
)

// startParts prepares what runs beside the processor.
func (a *App) startParts(ctx context.Context, reg *prometheus.Registry, store *pebblestore.Store) error {
	a.parts = append(a.parts, part{"processor", a.Processor.Run})
	p, err := a.policies(ctx)
	if err != nil {
		return err
	}
	a.parts = append(a.parts, p)
	if err := a.serve(); err != nil {
		return err
	}
	if p, err = a.escalations(ctx); err != nil {
		return err
	}
	a.parts = append(a.parts, p)
	if a.opts.Ops == "" && a.opts.HTTP == nil {
		return nil
	}
	a.gauges(reg, store)
	if a.opts.HTTP != nil {
		g, err := a.gateway(reg)
		if err != nil {
			return err
		}
		a.parts = append(a.parts, g)
	}
	if a.opts.Ops == "" {
		return nil
	}
	o, err := a.ops(reg)
	if err != nil {
		return err
	}
	a.parts = append(a.parts, o)
	return nil
}

// Run runs all parts until ctx ends, which is no error, or one of them fails.
func (a *App) Run(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var wg sync.WaitGroup
	errs := make([]error, len(a.parts))
	for i, p := range a.parts {
		wg.Go(func() {
			defer stop() // one part's end ends all
			if err := p.run(ctx); err != nil && !errors.Is(err, context.Canceled) {
				errs[i] = fmt.Errorf("%s: %w", p.name, err)
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}
