package worker

import (
	"context"
	"fmt"

	"github.com/loopwatch/loopwatch/pkg/events"
)

// Blocked ends the run as properly given up: what was attempted, what blocks,
// what is needed. It is a correct end, not a failure. It waits like End.
func (r *Run) Blocked(ctx context.Context, b events.Blocker) error {
	return r.end(ctx, events.End{Status: events.Blocked, Reason: b.Blocker, Blocked: &b})
}

// End ends the run and waits until everything is stored, ctx ends or
// Config.Linger is over; what is left then is an error and is sent in the
// background while the process lives. After a halt it only waits: the run has
// been ended already.
func (r *Run) End(ctx context.Context, status events.Status, reason string) error {
	return r.end(ctx, events.End{Status: status, Reason: reason})
}

func (r *Run) end(ctx context.Context, e events.End) error {
	if err := r.sayEnd(e); err != nil {
		return fmt.Errorf("end run: %w", err)
	}
	if err := r.sender.flush(ctx, r.cfg.Linger); err != nil {
		return fmt.Errorf("end run: %w", err)
	}
	return nil
}

// sayEnd says run_end, once, and that observations nobody took are ignored.
func (r *Run) sayEnd(e events.End) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over {
		return nil
	}
	if r.released {
		return ErrOver
	}
	if _, err := r.say(events.Event{Kind: events.RunEnd, End: &e}, nil); err != nil {
		return err
	}
	r.over = true
	r.ignorePending("the run is over")
	r.sender.finish()
	return nil
}

// Close lets go of the bus at once and does not end the run: another process
// may re-attach to it. What still waits to be sent is lost. A run that is over
// need not be closed.
func (r *Run) Close() { r.sender.stop() }

// release stops listening; the sender calls it when it has ended.
func (r *Run) release() {
	for _, s := range r.subs {
		_ = s.Unsubscribe() // the connection is gone, or it worked
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.released = true
	r.kept.close()
	close(r.controls)
}
