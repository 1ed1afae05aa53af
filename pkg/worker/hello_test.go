package worker_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/worker"
)

// clock is a worker's clock that a test sets.
type clock struct {
	mu sync.Mutex
	t  time.Time
}

func newClock(t time.Time) *clock { return &clock{t: t} }

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.t
}

func (c *clock) add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.t = c.t.Add(d)
}

// A configuration that cannot be is refused with everything that is wrong.
func TestConfig(t *testing.T) {
	_, err := worker.Start(t.Context(), worker.Config{
		Tenant: "a.b", Agent: "_x", Task: "t 1", Run: "r1", Parent: "r1", Wait: -1,
	})
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{"Conn: required", `Tenant: "a.b"`, `Agent: "_x"`, `Task: "t 1"`, "Parent: a run", "Round, Wait, Linger, Queue"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error does not say %q: %v", want, err)
		}
	}
}

// A run says who it is and what it may use, with its defaults.
func TestStart(t *testing.T) {
	b := newBus(t)
	cfg := worker.Config{Conn: b.agent, Wait: long, NoGuard: true, Start: events.Start{
		Attempt: 2, Model: "m", Goal: "find the parcel", Limits: events.Limits{MaxTurns: 7},
		Tools: []events.Tool{{Name: "track_parcel", Effect: events.EffectRead}},
	}}
	done := make(chan *worker.Run, 1)
	go func() {
		r, _ := worker.Start(testContext(t), cfg)
		done <- r
	}()
	s := b.want(events.RunStart)
	if s.Tenant != "default" || s.Agent != "agent" || s.Task != s.Run || s.Seq != 0 || s.Parent != "" {
		t.Errorf("said %+v", s.Event)
	}
	if s.Start.Attempt != 2 || s.Start.Goal != "find the parcel" || s.Start.Limits.MaxTurns != 7 || len(s.Start.Tools) != 1 {
		t.Errorf("started with %+v", s.Start)
	}
	zero := uint64(0)
	b.answer(s, actions.Verdict{Decision: actions.Allow, LastSeq: &zero, Time: time.Now()})
	r := receive(t, done)
	defer r.Close()
	if r.ID() != s.Run {
		t.Errorf("the run is called %s and said %s", r.ID(), s.Run)
	}
	if seq := b.nextSeq(r); seq != 1 {
		t.Errorf("first seq %d, want 1", seq)
	}
}

// A halted run or task is told at once: the halt is acknowledged, the run
// ended, and nothing is left behind.
func TestHelloHalted(t *testing.T) {
	for name, tc := range map[string]struct {
		controls []actions.Control
		status   events.Status
	}{
		"with its control":          {[]actions.Control{aControl("ctl_1", actions.HaltRun)}, events.Stuck},
		"acknowledged long ago":     {nil, events.Halted},
		"with an observation, too":  {[]actions.Control{aControl("ctl_2", actions.Inject), aControl("ctl_1", actions.HaltRun)}, events.Stuck},
		"that expired unanswered":   {[]actions.Control{expired(aControl("ctl_1", actions.HaltRun))}, events.Halted},
		"another's control with it": {[]actions.Control{otherRun(aControl("ctl_1", actions.HaltRun))}, events.Halted},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBus(t)
			last := uint64(9)
			r, err := b.hello(b.config(), actions.Verdict{Decision: actions.RefuseCall, LastSeq: &last, Controls: tc.controls})
			var halted *worker.HaltedError
			if r != nil || !errors.As(err, &halted) {
				t.Fatalf("Start: %v, %v; want the halt", r, err)
			}
			seq, acks := last, map[string]events.Outcome{}
			for {
				s := b.next()
				if seq++; s.Seq != seq {
					t.Errorf("%s has seq %d, want %d", s.Kind, s.Seq, seq)
				}
				if s.Ack != nil {
					acks[s.Ack.Control] = s.Ack.Outcome
					continue
				}
				if s.End.Status != tc.status {
					t.Errorf("ended as %s, want %s", s.End.Status, tc.status)
				}
				break
			}
			if _, told := acks["ctl_1"]; told != (len(tc.controls) > 0 && tc.controls[0].Run == "r1") {
				t.Errorf("acknowledged %v", acks)
			}
			for b.agent.NumSubscriptions() > 1 { // that of the acknowledgements; the sender lets go right behind the last one
				select {
				case <-testContext(t).Done():
					t.Fatal("a halted run leaves subscriptions behind")
				case <-time.After(time.Millisecond):
				}
			}
		})
	}
}

func expired(c actions.Control) actions.Control {
	c.Time, c.Expires = c.Time.Add(-2*time.Hour), c.Time.Add(-time.Hour)
	return c
}

func otherRun(c actions.Control) actions.Control {
	c.Run = "r2"
	return c
}

// What was not acknowledged before a crash is told again at hello, and the run
// goes on from its last seq, round and call.
func TestReattach(t *testing.T) {
	b := newBus(t)
	last := uint64(41)
	r, err := b.hello(b.config(), actions.Verdict{LastSeq: &last, Controls: []actions.Control{aControl("ctl_1", actions.Inject)}})
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Observations(); len(got) != 1 {
		t.Errorf("observations %v", got)
	}
	b.ack("ctl_1", events.Applied)
	b.control(aControl("ctl_1", actions.Inject)) // re-published
	c, err := b.call(r, "tool", nil, allow)
	if err != nil || c.ID != "c42" || c.Round != 42 {
		t.Errorf("Call: %+v, %v; want c42 in round 42", c, err)
	}
	if got := r.Observations(); got != nil {
		t.Errorf("told again: %v", got)
	}
}

// A worker that knows its last round goes on from there.
func TestReattachWithRound(t *testing.T) {
	b := newBus(t)
	cfg := b.config()
	cfg.Round = 7
	last := uint64(41)
	r, err := b.hello(cfg, actions.Verdict{LastSeq: &last})
	if err != nil {
		t.Fatal(err)
	}
	if c, err := b.call(r, "tool", nil, allow); err != nil || c.ID != "c42" || c.Round != 8 {
		t.Errorf("Call: %+v, %v; want c42 in round 8", c, err)
	}
}

// The answer to a hello is of use however late it comes: its controls are
// obeyed and its numbers taken over.
func TestLateHello(t *testing.T) {
	b := newBus(t)
	cfg := b.config()
	cfg.Wait = time.Nanosecond
	r, err := worker.Start(testContext(t), cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	hello := b.want(events.RunStart)
	if !hello.check.Deadline.After(time.Now().Add(time.Minute)) {
		t.Errorf("a hello is answered until %v", hello.check.Deadline)
	}
	if seq := b.nextSeq(r); seq != 1 {
		t.Errorf("first seq %d", seq)
	}
	c, err := r.Call(testContext(t), "tool", nil)
	if err != nil || !c.Guarded || c.ID == "c1" {
		t.Errorf("Call: %+v, %v; want the name of a call that no earlier process can have", c, err)
	}
	b.want(events.ToolCall)
	last := uint64(17)
	b.answer(hello, actions.Verdict{Decision: actions.Allow, LastSeq: &last, Time: time.Now(), Controls: []actions.Control{aControl("ctl_1", actions.Inject)}})
	taken(t, r)
	if seq := b.nextSeq(r); seq != 18 {
		t.Errorf("seq %d after the answer, want 18", seq)
	}
}

// A worker whose clock differs is answered in time, and judges controls by the
// server's clock.
func TestClockSkew(t *testing.T) {
	for name, skew := range map[string]time.Duration{"ahead": 3 * time.Hour, "behind": -3 * time.Hour} {
		t.Run(name, func(t *testing.T) {
			b := newBus(t)
			cfg := b.config()
			clock := newClock(time.Now().Add(skew))
			cfg.Now = clock.now
			r := b.run(cfg)
			wait := asking(t, r, "tool", nil)
			s := b.want(events.ToolCall)
			if d := time.Until(s.check.Deadline); d < 0 || d > long {
				t.Errorf("the deadline is %v away, for a server", d)
			}
			b.answer(s, allow)
			if _, err := wait(); err != nil {
				t.Fatal(err)
			}
			b.control(expired(aControl("ctl_1", actions.HaltRun)))
			b.ack("ctl_1", events.Expired)
			b.control(aControl("ctl_2", actions.HaltRun))
			b.ack("ctl_2", events.Applied)
		})
	}
}

// A caller that gives up waiting for the hello leaves nothing behind.
func TestStartCancelled(t *testing.T) {
	b := newBus(t)
	stop, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { _, err := worker.Start(stop, b.config()); done <- err }()
	b.want(events.RunStart)
	cancel()
	if err := receive(t, done); !errors.Is(err, context.Canceled) {
		t.Errorf("Start: %v", err)
	}
	if n := b.agent.NumSubscriptions(); n > 1 {
		t.Errorf("%d subscriptions are left", n)
	}
}

// A connection that is closed cannot carry a run.
func TestStartOnClosedConnection(t *testing.T) {
	b := newBus(t)
	b.agent.Close()
	if _, err := worker.Start(t.Context(), b.config()); !errors.Is(err, nats.ErrConnectionClosed) {
		t.Errorf("Start: %v", err)
	}
}
