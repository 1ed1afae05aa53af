package lease

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/nats-io/nats.go/jetstream"
)

// value is what our keys say.
func (k *Keeper) value() []byte {
	b, err := json.Marshal(k.self)
	if err != nil {
		panic(err) // three strings
	}
	return b
}

// renewInstance renews our own key, or writes it where it is not there. An
// error is ErrReplaced; what the bus does not answer is tried again in the next
// round.
func (k *Keeper) renewInstance(ctx context.Context) error {
	bound, cancel := context.WithTimeout(ctx, k.ttl/pace)
	defer cancel()
	key := instancePrefix + k.self.Instance
	var err error
	if k.revision != 0 {
		var rev uint64
		if rev, err = k.kv.Update(bound, key, k.value(), k.revision); err == nil {
			k.revision = rev
			return nil
		}
	} else {
		var rev uint64
		if rev, err = k.kv.Create(bound, key, k.value()); err == nil {
			k.revision = rev
			return nil
		}
	}
	if !contradicts(err) {
		return nil
	}
	e, err := k.kv.Get(bound, key)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		k.revision = 0 // it has expired; the next round writes it anew
		return nil
	}
	var is entry
	if err != nil || json.Unmarshal(e.Value(), &is) != nil {
		return nil
	}
	switch {
	case is.Session == k.self.Session: // written, and the answer was lost
		k.revision = e.Revision()
	case k.revision != 0:
		return ErrReplaced
	case is.Home == k.self.Home: // of an earlier life
		if rev, err := k.kv.Update(bound, key, k.value(), e.Revision()); err == nil {
			k.revision = rev
		}
	}
	return nil
}

// noEntry says why the instance could not be entered.
func (k *Keeper) noEntry(err error) error {
	if err == nil {
		return fmt.Errorf("enter instance %s: one of that name runs already: give this one another --instance", k.self.Instance)
	}
	return fmt.Errorf("enter instance %s: %w", k.self.Instance, err)
}

// take writes a partition's key and grants the partition.
func (k *Keeper) take(ctx context.Context, p int, holder seen, held bool) {
	sent := time.Now()
	var rev uint64
	var err error
	if held { // by an earlier life of ours
		rev, err = k.kv.Update(ctx, partitionKey(p), k.value(), holder.revision)
	} else {
		rev, err = k.kv.Create(ctx, partitionKey(p), k.value())
	}
	if err != nil {
		return // somebody's still; or asked again in the next round
	}
	h := &hold{grant: NewGrant(p, k.end(sent)), revision: rev}
	k.mu.Lock()
	k.held[p] = h
	k.mu.Unlock()
	signal(k.changed)
}

// end is when a lease that was asked for at that time ends for us.
func (k *Keeper) end(sent time.Time) time.Time { return sent.Add(k.ttl - k.ttl/margin) }

// renewals lists the keys to renew. A grant that has run out is not renewed: its
// owner gives it back and a new one is asked for.
func (k *Keeper) renewals() (todo []func(context.Context)) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for p, h := range k.held {
		switch {
		case h.released:
		case h.grant.Valid():
			todo = append(todo, func(ctx context.Context) { k.renew(ctx, p, h) })
		default:
			h.grant.End()
			signal(k.changed)
		}
	}
	return todo
}

// renew renews one key. Where another revision stands there, it is either our
// own whose answer was lost, or the grant has ended.
func (k *Keeper) renew(ctx context.Context, p int, h *hold) {
	sent := time.Now()
	rev, err := k.kv.Update(ctx, partitionKey(p), k.value(), h.revision)
	if err == nil {
		h.revision = rev
		h.grant.extend(k.end(sent))
		return
	}
	if !contradicts(err) {
		return
	}
	e, err := k.kv.Get(ctx, partitionKey(p))
	var is entry
	switch {
	case err == nil && json.Unmarshal(e.Value(), &is) == nil && is.Session == k.self.Session:
		h.revision = max(h.revision, e.Revision())
	case err == nil || errors.Is(err, jetstream.ErrKeyNotFound):
		k.cfg.Logger.Warn("a lease was lost", "partition", p, "to", is.Instance)
		h.grant.End()
		signal(k.changed)
	}
}

// remove deletes the key of a grant that was given back, where it is ours still.
func (k *Keeper) remove(ctx context.Context, p int, h *hold) {
	k.erase(ctx, partitionKey(p), h.revision)
	k.mu.Lock()
	delete(k.held, p)
	k.mu.Unlock()
}

// erase deletes a key of this session, whose revision is another where an answer
// was lost. What cannot be deleted expires.
func (k *Keeper) erase(ctx context.Context, key string, revision uint64) {
	if err := k.kv.Delete(ctx, key, jetstream.LastRevision(revision)); !contradicts(err) {
		return
	}
	e, err := k.kv.Get(ctx, key)
	var is entry
	if err == nil && json.Unmarshal(e.Value(), &is) == nil && is.Session == k.self.Session {
		_ = k.kv.Delete(ctx, key, jetstream.LastRevision(e.Revision()))
	}
}

// contradicts says that the key is not as we thought, as opposed to no answer.
func contradicts(err error) bool {
	var api *jetstream.APIError
	return errors.Is(err, jetstream.ErrKeyExists) || errors.As(err, &api) &&
		(api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence || api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequenceConstant)
}
