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

// mostPatience bounds how many checks are waited for a session to bring something.
const mostPatience = 32

// silence is what watch remembers of a partition.
type silence struct {
	at       uint64 // sequence to come, as of the last check
	checks   int    // that found the stream elsewhere since then
	patience int    // checks to wait before the session is ended
}

// check ends the session where the stream is elsewhere than where the reader
// is and the reader does not move. Each time that does not help it waits twice
// as long, so that a slow server is not asked to begin again for ever.
func (pr *partitionReader) check(ctx context.Context) {
	next, created, s := pr.next.Load(), pr.created.Load(), &pr.silence
	if next != s.at {
		*s = silence{at: next, patience: 1}
	}
	if pr.held.Load() || created == nil || !pr.r.bus.nc.IsConnected() {
		s.checks = 0
		return
	}
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	state, err := pr.r.bus.state(ctx, events.EventStream(pr.p))
	if err == nil && state.Last+1 == next && state.Created.Equal(*created) {
		s.checks = 0
		return
	}
	if s.checks++; s.checks > s.patience {
		signal(pr.restart)
		s.checks, s.patience = 0, min(2*s.patience, mostPatience)
	}
}
