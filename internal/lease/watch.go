package lease

import (
	"context"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// watch brings every change of the bucket to Run, and all that is there
// whenever it begins anew: at the start and after a reconnect. While it is
// silent the view ages; then we try to take what others hold, which the bucket
// refuses.
func (k *Keeper) watch(ctx context.Context) {
	back := k.nc.StatusChanged(nats.CONNECTED)
	defer k.nc.RemoveStatusListener(back)
	for ctx.Err() == nil {
		if w, err := k.kv.WatchAll(ctx); err != nil {
			k.cfg.Logger.Debug("the leases cannot be watched", "error", err)
		} else {
			k.follow(ctx, w, back)
			_ = w.Stop()
		}
		select {
		case <-time.After(k.ttl / 12):
		case <-ctx.Done():
		}
	}
}

// follow passes on what a watch says until it has to begin anew.
func (k *Keeper) follow(ctx context.Context, w jetstream.KeyWatcher, back <-chan nats.Status) {
	for {
		select {
		case e, open := <-w.Updates():
			if !open {
				return
			}
			if e == nil { // the end of what was there at first
				continue
			}
			select {
			case k.news <- e:
			case <-ctx.Done():
				return
			}
		case <-back:
			return
		case <-ctx.Done():
			return
		}
	}
}

// heard takes in one change.
func (k *Keeper) heard(e jetstream.KeyValueEntry) {
	gone := e.Operation() != jetstream.KeyValuePut
	if k.view.note(e.Key(), e.Value(), e.Revision(), gone, time.Now()) {
		signal(k.kick)
	}
}
