package worker

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
)

// Run is one execution of an agent, as the fleet sees it. Its methods may be
// called from any goroutine. Once it is halted they return a *HaltedError.
type Run struct {
	cfg    Config
	sender *sender
	guard  *guard
	subs   []*nats.Subscription

	mu       sync.Mutex
	seq      uint64
	round    int
	answered bool // a result of the round was reported, so the next call is of a new one
	calls    int
	over     bool // run_end was said
	halted   *HaltedError
	waiting  map[string]chan actions.Verdict // by check token
	seen     map[string]bool                 // controls acted on
	pending  []actions.Control               // observations for the next model call
	results  cache
	controls chan actions.Control
	stopped  chan struct{} // closed when halted
}

// HaltedError says that the run must not go on.
type HaltedError struct{ Control actions.Control }

// Error says why, in the words of the control.
func (e *HaltedError) Error() string { return "run halted: " + e.Control.Summary }

// ErrOver says that the run has ended.
var ErrOver = errors.New("the run has ended")

// ErrBlocked says that no answer came in time and the run fails closed.
var ErrBlocked = errors.New("no verdict came in time and the run fails closed")

// Start opens the run, or re-attaches to it after a crash, and waits for what
// stands for it as long as Config.Wait. Where the run or its task is halted
// the error is a *HaltedError; the run is then over.
func Start(ctx context.Context, cfg Config) (*Run, error) {
	cfg, err := cfg.complete()
	if err != nil {
		return nil, fmt.Errorf("start run: %w", err)
	}
	js, err := jetstream.New(cfg.Conn)
	if err != nil {
		return nil, fmt.Errorf("start run: %w", err)
	}
	r := &Run{
		cfg: cfg, waiting: map[string]chan actions.Verdict{}, seen: map[string]bool{},
		controls: make(chan actions.Control, 64), stopped: make(chan struct{}),
	}
	if !cfg.NoGuard {
		if r.guard, err = newGuard(cfg); err != nil {
			return nil, fmt.Errorf("start run: %w", err)
		}
	}
	r.sender = newSender(js, cfg)
	if err := r.subscribe(); err != nil {
		r.sender.stop()
		return nil, fmt.Errorf("start run: %w", err)
	}
	_, err = r.ask(ctx, events.Event{Kind: events.RunStart, Start: &cfg.Start})
	if err != nil {
		return r, err
	}
	return r, nil
}

// ID returns the run's name.
func (r *Run) ID() string { return r.cfg.Run }

// Done is closed when the run is halted.
func (r *Run) Done() <-chan struct{} { return r.stopped }

// Dropped counts events that found the queue full and were not sent; the run
// shows them as gaps.
func (r *Run) Dropped() uint64 { return r.sender.dropped.Load() }

// Turn reports one model response and opens the round that its tool calls
// belong to.
func (r *Run) Turn(_ context.Context, t events.Turn) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.usable(); err != nil {
		return err
	}
	r.round, r.answered = r.round+1, false
	_, err := r.say(events.Event{Kind: events.TurnKind, Round: r.round, Turn: &t}, nil)
	return err
}

// Message reports text to or from the user (role `assistant` or `user`), or to
// another run (to).
func (r *Run) Message(_ context.Context, role, to, text string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.usable(); err != nil {
		return err
	}
	_, err := r.say(events.Event{Kind: events.Said, Message: &events.Message{Role: role, To: to, Text: text}}, nil)
	return err
}

// Blocked ends the run as properly given up: what was attempted, what blocks,
// what is needed. It is a correct end, not a failure.
func (r *Run) Blocked(ctx context.Context, b events.Blocker) error {
	return r.end(ctx, events.End{Status: events.Blocked, Reason: b.Blocker, Blocked: &b})
}

// End ends the run and waits until what was reported is stored, or ctx ends.
// After a halt it only waits: the run has been ended already.
func (r *Run) End(ctx context.Context, status events.Status, reason string) error {
	return r.end(ctx, events.End{Status: status, Reason: reason})
}

func (r *Run) end(ctx context.Context, e events.End) error {
	r.mu.Lock()
	var err error
	if !r.over {
		r.over = true
		_, err = r.say(events.Event{Kind: events.RunEnd, End: &e}, nil)
	}
	r.mu.Unlock()
	if ferr := r.sender.flush(ctx); err == nil {
		err = ferr
	}
	r.close()
	return err
}

// Close lets go of the bus without ending the run: another process may
// re-attach to it. What still waits to be sent is lost.
func (r *Run) Close() { r.close() }

func (r *Run) close() {
	for _, s := range r.subs {
		_ = s.Unsubscribe() // the connection is gone, or it worked
	}
	r.sender.stop()
}

// usable says why nothing more may be reported. The caller holds mu.
func (r *Run) usable() error {
	if r.halted != nil {
		return r.halted
	}
	if r.over {
		return ErrOver
	}
	return nil
}

// say gives an event its identity and place, shows it to the guard and queues
// it. The caller holds mu.
func (r *Run) say(e events.Event, check *events.Check) (events.Event, error) {
	id, err := events.NewID(r.cfg.Now(), rand.Reader)
	if err != nil {
		return e, fmt.Errorf("name event: %w", err)
	}
	e.V, e.ID, e.Time = events.Version, id, r.cfg.Now().UTC()
	e.Tenant, e.Agent, e.Task, e.Run, e.Parent = r.cfg.Tenant, r.cfg.Agent, r.cfg.Task, r.cfg.Run, r.cfg.Parent
	if e.Kind != events.RunStart || r.seq > 0 {
		r.seq++
		e.Seq = r.seq
	}
	if r.guard != nil {
		r.guard.see(e)
	}
	body, err := events.Encode(e)
	if err != nil {
		return e, fmt.Errorf("encode event: %w", err)
	}
	m := nats.NewMsg(events.EventSubject(e.Tenant, e.Agent, e.Task, e.Run))
	m.Data = body
	m.Header.Set("Nats-Msg-Id", e.ID)
	if check != nil {
		m.Header.Set(events.HeaderCheck, check.String())
	}
	r.sender.add(m)
	return e, nil
}
