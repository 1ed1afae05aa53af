package processor

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/loopwatch/loopwatch/internal/natsbus"
	"github.com/loopwatch/loopwatch/pkg/actions"
)

// epoch is the record by which an owner fences those before it.
type epoch struct {
	V        int    `json:"v"`
	Epoch    int64  `json:"epoch"`
	Instance string `json:"instance"`
	Version  string `json:"version"`
	Policy   string `json:"policy"`
	Seq      uint64 `json:"seq"`  // checkpoint it goes on from
	Hash     string `json:"hash"` // fingerprint of the hash key
}

// raise writes an epoch above every earlier one, under compare-and-swap. It does
// so only while the grant that it was called for holds: whoever raised the fence
// without one would take the partition back from its owner.
func (p *Processor) raise(ctx context.Context, o *owner) error {
	mine := epoch{
		V: 1, Instance: p.cfg.Instance, Version: p.cfg.Version, Policy: o.engine.Policy().Ref(),
		Seq: o.part.Meta.Checkpoint.Seq, Hash: p.cfg.HashKey.Fingerprint(),
	}
	above := int64(0) // an epoch above this one is a later owner's
	log, err := p.cfg.Bus.OpenLog(ctx, o.number, func(r natsbus.Record) bool {
		theirs, ok := p.epochOf(r)
		return ok && theirs.Epoch > above
	})
	if err != nil {
		return fmt.Errorf("open decision log: %w", err)
	}
	last, err := p.lastEpoch(ctx, o.number)
	if err != nil {
		return fmt.Errorf("read epochs: %w", err)
	}
	above = last.Epoch
	mine.Epoch = max(above+1, p.cfg.Now().UnixMilli())
	body, err := json.Marshal(mine)
	if err != nil {
		return fmt.Errorf("encode epoch: %w", err)
	}
	bound, cancel := o.grant.Bound(ctx)
	defer cancel()
	subject := natsbus.EpochSubject(o.number)
	if _, err := log.Append(bound, subject, p.sealed(actions.DomainRecord, subject, body), body); err != nil {
		return fmt.Errorf("raise epoch: %w", err)
	}
	above = mine.Epoch
	o.log = log
	return nil
}

// lastEpoch returns the newest epoch that a trusted key signed, the zero epoch
// where there is none. Only where junk lies above it are all of them read.
func (p *Processor) lastEpoch(ctx context.Context, n int) (last epoch, err error) {
	subject := natsbus.EpochSubject(n)
	r, err := p.cfg.Bus.NewestOf(ctx, n, subject)
	if errors.Is(err, natsbus.ErrNotFound) {
		return epoch{}, nil
	}
	if err != nil {
		return epoch{}, err
	}
	if e, ok := p.epochOf(r); ok {
		return e, nil
	}
	err = p.cfg.Bus.LogOf(ctx, n, subject, func(r natsbus.Record) bool {
		if e, ok := p.epochOf(r); ok && e.Epoch > last.Epoch {
			last = e
		}
		return true
	})
	return last, err
}

// epochOf reads an epoch record that a trusted key signed.
func (p *Processor) epochOf(r natsbus.Record) (epoch, bool) {
	var e epoch
	if !p.genuine(actions.DomainRecord, r.Subject, r) || json.Unmarshal(r.Data, &e) != nil {
		return epoch{}, false
	}
	return e, e.Epoch > 0
}

// checkKeys compares our keys with those that the bus's owners used last. With
// others, nothing that was logged would be believed, and all of it said again.
func (p *Processor) checkKeys(ctx context.Context) error {
	for n := range p.owners {
		r, err := p.cfg.Bus.NewestOf(ctx, n, natsbus.EpochSubject(n))
		if errors.Is(err, natsbus.ErrNotFound) {
			continue
		}
		if err != nil {
			return fmt.Errorf("check keys: %w", err)
		}
		e, ok := p.epochOf(r)
		id, _, signed := strings.Cut(r.Header.Get(actions.SignatureHeader), ".")
		switch {
		case !ok && signed && id != p.cfg.Signer.KeyID():
			return fmt.Errorf("check keys: the last owner of partition %d signed with control key %s, this instance has %s: "+
				"use the fleet's keys (--keys), or trust that key (--trust control.pub) where ours replaces it", n, id, p.cfg.Signer.KeyID())
		case ok && e.Hash != "" && e.Hash != p.cfg.HashKey.Fingerprint():
			return fmt.Errorf("check keys: the last owner of partition %d hashed with key %s, this instance has %s: "+
				"use the fleet's hash.key (--keys); it cannot be changed while the bus lasts", n, e.Hash, p.cfg.HashKey.Fingerprint())
		}
	}
	return nil
}
