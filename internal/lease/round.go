package lease

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// pace divides a TTL: renewals come every quarter of it, and no call to the
// bus may take longer than that. A grant ends a tenth before its key does, for
// clocks that do not run alike.
const (
	pace   = 4
	margin = 10
)

// round does what is due: give up, renew, take, ask back.
func (k *Keeper) round(ctx context.Context) error {
	now := time.Now()
	var todo []func(context.Context)
	todo = append(todo, k.releases()...)
	if now.Sub(k.renewed) >= k.ttl/pace {
		k.renewed = now
		if err := k.renewInstance(ctx); err != nil {
			return err
		}
		todo = append(todo, k.renewals()...)
	}
	share := Share(k.cfg.Partitions, k.fleet(now))
	todo = append(todo, k.takes(share, now)...)
	k.each(ctx, todo)
	k.askBack(share)
	k.settle(share)
	return nil
}

// fleet is the names of the instances that live. We are one as long as our key
// is there.
func (k *Keeper) fleet(now time.Time) []string {
	names := k.view.others(k.self.Instance, now)
	if k.revision != 0 {
		names = append(names, k.self.Instance)
	}
	return names
}

// each runs calls to the bus side by side, none longer than a renewal may take.
func (k *Keeper) each(ctx context.Context, todo []func(context.Context)) {
	bound, cancel := context.WithTimeout(ctx, k.ttl/pace)
	defer cancel()
	var wg sync.WaitGroup
	for _, f := range todo {
		wg.Go(func() { f(bound) })
	}
	wg.Wait()
}

// askBack asks for what should be another's.
func (k *Keeper) askBack(share []string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for p, h := range k.held {
		if to := share[p]; !h.released && to != "" && to != k.self.Instance && !h.grant.asked.Swap(true) {
			k.cfg.Logger.Info("a partition goes to another instance", "partition", p, "to", to)
			signal(k.changed)
		}
	}
}

// settle notes whether all is ours that should be.
func (k *Keeper) settle(share []string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.settled = k.revision != 0
	for p, to := range share {
		h := k.held[p]
		if to == k.self.Instance && (h == nil || !h.grant.Valid()) {
			k.settled = false
		}
	}
}

// enter writes the instance's key. Our own from an earlier life is taken over;
// another's under our name is waited out.
func (k *Keeper) enter(ctx context.Context) error {
	for deadline := time.Now().Add(2*k.ttl + time.Second); ; {
		bound, cancel := context.WithTimeout(ctx, max(k.ttl, time.Second))
		err := k.renewInstance(bound)
		cancel()
		if k.revision != 0 {
			return nil
		}
		if err = errors.Join(err, ctx.Err()); ctx.Err() != nil || time.Now().After(deadline) {
			return k.noEntry(err)
		}
		select {
		case <-time.After(k.ttl / 12):
		case <-ctx.Done():
		}
	}
}

// takes lists the partitions that should be ours and may be had.
func (k *Keeper) takes(share []string, now time.Time) (todo []func(context.Context)) {
	if k.revision == 0 {
		return nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for p, to := range share {
		if to != k.self.Instance || k.held[p] != nil || now.Before(k.notUntil[p]) {
			continue
		}
		holder, held := k.view.holder(p, now)
		if held && holder.Home != k.self.Home {
			continue
		}
		todo = append(todo, func(ctx context.Context) { k.take(ctx, p, holder, held) })
	}
	return todo
}

// releases lists the keys of grants that were given back.
func (k *Keeper) releases() (todo []func(context.Context)) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for p, h := range k.held {
		if h.released {
			k.notUntil[p] = time.Now().Add(k.ttl / pace)
			todo = append(todo, func(ctx context.Context) { k.remove(ctx, p, h) })
		}
	}
	return todo
}

// giveUp removes the keys of all grants that were given back.
func (k *Keeper) giveUp(ctx context.Context) {
	k.each(ctx, slices.Concat(k.releases(), k.renewals()))
}
