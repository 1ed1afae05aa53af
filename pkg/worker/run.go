package worker

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
)

// Run is one execution of an agent, as the fleet sees it. Its methods may be
// called from any goroutine. Once it is halted they return a *HaltedError.
// When it is over and everything is sent it lets go of the bus by itself.
type Run struct {
	cfg      Config
	js       jetstream.JetStream
	sender   *sender
	redactor *redactor
	kept     *seenFile
	subs     []*nats.Subscription
	controls chan actions.Control
	stopped  chan struct{} // closed when halted

	mu       sync.Mutex
	guard    *guard // nil without one, and until the hello is over
	seq      uint64
	round    int
	answered bool // a result of the round was reported, so the next call is of a new one
	calls    uint64
	mark     string        // in call ids, where calls of an earlier process cannot be told apart
	skew     time.Duration // server's clock minus ours
	over     bool          // run_end was said
	released bool          // nothing arrives any more
	halted   *HaltedError
	asked    questions
	seen     map[string]bool   // controls acted on
	pending  []actions.Control // observations for the next model call
	results  cache
}

// HaltedError says that the run must not go on.
type HaltedError struct{ Control actions.Control }

// Error says why, in the words of the control.
func (e *HaltedError) Error() string { return "run halted: " + e.Control.Summary }

// ErrOver says that the run has ended.
var ErrOver = errors.New("the run has ended")

// ErrBlocked says that no answer came in time and the run fails closed.
var ErrBlocked = errors.New("no verdict came in time and the run fails closed")

// Start opens the run, or re-attaches to it after a crash, and waits as long
// as Config.Wait for what stands for it; without an answer it goes on. Where
// the run or its task is halted the error is a *HaltedError: the halt is
// acknowledged, the run is over and nothing may be done. Every run that is
// started is ended by End or Blocked, or let go by Close.
func Start(ctx context.Context, cfg Config) (*Run, error) {
	r, err := open(cfg)
	if err != nil {
		return nil, fmt.Errorf("start run: %w", err)
	}
	err = r.hello(ctx)
	if err == nil {
		return r, nil
	}
	var halted *HaltedError
	if errors.As(err, &halted) {
		_ = r.sender.flush(ctx, r.cfg.Wait) // what is left goes on in the background
	} else {
		r.Close()
	}
	return nil, fmt.Errorf("start run: %w", err)
}

// open makes a run that listens and can say something.
func open(cfg Config) (*Run, error) {
	cfg, err := cfg.complete()
	if err != nil {
		return nil, err
	}
	js, err := jetstream.New(cfg.Conn)
	if err != nil {
		return nil, err
	}
	r := &Run{
		cfg: cfg, js: js, seen: map[string]bool{},
		controls: make(chan actions.Control, 64), stopped: make(chan struct{}),
	}
	r.redactor = newRedactor(&r.cfg)
	if r.kept, err = openSeen(cfg.Seen); err != nil {
		return nil, err
	}
	r.sender = newSender(js, &r.cfg, r.release)
	if err := r.subscribe(); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// hello says run_start and takes what the bus answers. The policy of the guard
// is fetched meanwhile, so both together take no longer than one.
func (r *Run) hello(ctx context.Context) error {
	bound, cancel := context.WithTimeout(ctx, r.cfg.Wait)
	defer cancel()
	var side sync.WaitGroup
	var policy *actions.Policy
	side.Go(func() { policy = r.guardPolicy(bound) })
	start := r.cfg.Start
	v, err := r.ask(ctx, events.Event{Kind: events.RunStart, Start: &start})
	side.Wait()
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if v.guarded { // calls of an earlier process may be named c1, too
		var b [2]byte
		_, _ = rand.Read(b[:]) // never fails
		r.mark = hex.EncodeToString(b[:]) + "-"
	}
	if policy == nil {
		return nil
	}
	r.guard, err = newGuard(policy, v.said)
	return err
}

// ID returns the run's name.
func (r *Run) ID() string { return r.cfg.Run }

// Done is closed when the run is halted; Halted then says why.
func (r *Run) Done() <-chan struct{} { return r.stopped }

// Halted says why the run is halted, nil while it is not.
func (r *Run) Halted() *HaltedError {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.halted
}

// Dropped counts events that were not sent: those that found the queue full
// and those that the bus refuses for good. The run shows them as gaps.
func (r *Run) Dropped() uint64 { return r.sender.dropped.Load() }

// usable says why nothing more may be reported. The caller holds mu.
func (r *Run) usable() error {
	switch {
	case r.halted != nil:
		return r.halted
	case r.over, r.released:
		return ErrOver
	}
	return nil
}
