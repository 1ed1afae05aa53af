package natsbus

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/loopwatch/loopwatch/pkg/events"
)

// watch ends sessions that cannot be trusted to go on: all of them after a
// reconnect, when what was under way is gone, and those whose stream stands
// elsewhere while nothing arrives.
func (r *Reader) watch() {
	changed := r.bus.nc.StatusChanged(nats.CONNECTED)
	defer r.bus.nc.RemoveStatusListener(changed)
	tick := time.NewTicker(r.cfg.Watch)
	defer tick.Stop()
	for {
		select {
		case <-r.ctx.Done():
			return
		case <-changed:
			for _, pr := range r.all() {
				signal(pr.restart)
			}
		case <-tick.C:
			for _, pr := range r.all() {
				pr.check(r.ctx)
			}
		}
	}
}

func (r *Reader) all() []*partitionReader {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Collect(maps.Values(r.reads))
}

// check ends the session where, twice in a row, the stream was elsewhere than
// where the reader is, and the reader did not move in between.
func (pr *partitionReader) check(ctx context.Context) {
	next, created := pr.next.Load(), pr.created.Load()
	if pr.held.Load() || created == nil || !pr.r.bus.nc.IsConnected() {
		pr.suspect = 0
		return
	}
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	state, err := pr.r.bus.state(ctx, events.EventStream(pr.p))
	if err == nil && state.Last+1 == next && state.Created.Equal(*created) {
		pr.suspect = 0
		return
	}
	if pr.suspect == next {
		signal(pr.restart)
	}
	pr.suspect = next
}
