package processor

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/loopwatch/loopwatch/internal/lease"
)

// Ownership says which partitions are ours, and for how long. lease.Keeper
// shares them with other instances; lease.Always has all, for ever.
type Ownership interface {
	// Grants returns the grants that were not given back. One that has ended
	// stays among them until it is, and its partition is not granted anew before.
	Grants() []*lease.Grant
	// Changed has a token when there may be other grants than before. It is for
	// the processor alone.
	Changed() <-chan struct{}
	// Release gives a grant back: nothing of its partition is under way here any
	// more. It does not wait.
	Release(*lease.Grant)
	// Settled reports whether all that should be granted is.
	Settled() bool
}

// ErrNotOwner says that a partition is another instance's, or nobody's.
var ErrNotOwner = errors.New("this instance does not own the partition")

// follow opens partitions as they are granted.
func (p *Processor) follow(ctx context.Context) {
	known := map[*lease.Grant]bool{}
	slots := make(chan struct{}, opensAtOnce)
	for {
		select {
		case <-ctx.Done():
			return
		case <-p.cfg.Owns.Changed():
		}
		now := map[*lease.Grant]bool{}
		for _, g := range p.cfg.Owns.Grants() {
			if now[g] = true; !known[g] {
				p.side.Go(func() {
					slots <- struct{}{}
					defer func() { <-slots }()
					p.take(ctx, g)
				})
			}
		}
		known = now
	}
}

// opensAtOnce bounds how many partitions are opened side by side.
const opensAtOnce = 8

// take opens a partition and hands it to Run. What keeps it from being opened is
// tried again with the next grant; where no other can come it ends the processor.
func (p *Processor) take(ctx context.Context, g *lease.Grant) {
	o, err := p.open(ctx, g)
	if err == nil {
		select {
		case p.opened <- o:
			return
		case <-ctx.Done():
			err = ctx.Err()
		}
	}
	p.cfg.Owns.Release(g)
	switch err = fmt.Errorf("open partition %d: %w", g.Partition, err); {
	case ctx.Err() != nil:
	case g.Permanent():
		select {
		case p.broken <- err:
		default:
		}
	default:
		p.cfg.Logger.Warn("a partition could not be taken; it is tried again", "partition", g.Partition, "error", err)
	}
}

// own lets go of partitions that are ours no longer, takes in those that were
// opened, and answers questions. It runs between two turns, so nothing of a
// partition is under way when it goes.
func (p *Processor) own(ctx context.Context) error {
	if err := p.commitLast(); err != nil {
		return err
	}
	for o := range p.owned() {
		switch {
		case o.fenced != nil:
			p.drop(o, "a later owner has fenced this one")
		case !o.grant.Valid():
			p.drop(o, "its lease has run out")
		case o.grant.Asked():
			p.drop(o, "")
		}
	}
	for {
		select {
		case o := <-p.opened:
			if err := p.add(o); err != nil {
				return err
			}
		case err := <-p.broken:
			return err
		case a := <-p.asks:
			a.answer <- a.about(p)
			if err := p.sound(); err != nil {
				return err
			}
		default:
			p.greet(ctx)
			return nil
		}
	}
}

// commitLast commits where a partition is about to go: what was applied of it is
// in the store before anybody may open it anew.
func (p *Processor) commitLast() error {
	for o := range p.owned() {
		if o.fenced != nil || !o.grant.Valid() || o.grant.Asked() {
			return p.commit()
		}
	}
	return nil
}

// add begins to read an opened partition.
func (p *Processor) add(o *owner) error {
	if err := p.reader.Add(o.number, o.part.Meta.Checkpoint.Seq+1, o.stream.Created); err != nil {
		return err
	}
	p.owners[o.number] = o
	p.publishStatus()
	return nil
}

// drop stops reading a partition and gives it back. What was committed stays in
// the store for a later time.
func (p *Processor) drop(o *owner, why string) {
	p.reader.Remove(o.number)
	p.owners[o.number] = nil
	p.publishStatus()
	p.cfg.Owns.Release(o.grant)
	if why != "" {
		p.cfg.Logger.Warn("a partition is let go", "partition", o.number, "why", why, "applied", o.part.Meta.Checkpoint.Seq)
	}
}

// letGo gives everything back.
func (p *Processor) letGo() {
	for o := range p.owned() {
		p.drop(o, "")
	}
}

// owned walks the partitions that are ours.
func (p *Processor) owned() iter.Seq[*owner] {
	return func(yield func(*owner) bool) {
		for _, o := range p.owners {
			if o != nil && !yield(o) {
				return
			}
		}
	}
}

// greet calls Taken for partitions that have caught up, and closes ready once
// all have been greeted.
func (p *Processor) greet(ctx context.Context) {
	waiting := !p.cfg.Owns.Settled()
	owned := 0
	for o := range p.owned() {
		owned++
		if o.part.Meta.Checkpoint.Seq >= o.target && !o.greets {
			o.greets = true
			p.side.Go(func() {
				if p.cfg.Taken != nil {
					p.cfg.Taken(ctx, o.number)
				}
				o.ready.Store(true)
			})
		}
		waiting = waiting || !o.ready.Load()
	}
	if !waiting && owned == len(p.cfg.Owns.Grants()) {
		p.once.Do(func() { close(p.ready) })
	}
}
