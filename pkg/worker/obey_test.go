package worker_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/worker"
)

// aControl is a control for the run of bus.config that may be acted on.
func aControl(id string, k actions.Kind) actions.Control {
	now := time.Now().UTC()
	c := actions.Control{
		V: actions.Version, ID: id, Kind: k, Tenant: "default", Agent: "agent", Task: "t1", Run: "r1",
		Time: now, Expires: now.Add(time.Hour), Detector: "repeat", Incident: "inc_1", Rung: 1,
		Reason: actions.Acted, Summary: "track_parcel repeats itself",
		Evidence: actions.Proof{Events: []string{}, StreamSeqs: []uint64{}},
	}
	switch k {
	case actions.Inject:
		c.Observation = &actions.Observation{Role: "system", Content: "about " + id}
	case actions.HaltRun:
		status := "stuck"
		c.EndStatus = &status
	}
	return c
}

// taken waits for the next control that the run took.
func taken(t *testing.T, r *worker.Run) actions.Control {
	t.Helper()
	c := receive(t, r.Controls())
	if c.ID == "" {
		t.Fatalf("the run has let go of the bus: %v", r.Halted())
	}
	return c
}

// An observation is handed out for the next model call, once, and acknowledged
// as applied when it is; delivered again it does nothing.
func TestObservation(t *testing.T) {
	b := newBus(t)
	r := b.run(b.config())
	b.control(aControl("ctl_1", actions.Inject))
	taken(t, r)
	b.silent() // not acknowledged before it is handed out
	want := []actions.Observation{{Role: "system", Content: "about ctl_1"}}
	if d := cmp.Diff(want, r.Observations()); d != "" {
		t.Error(d)
	}
	b.ack("ctl_1", events.Applied)
	b.control(aControl("ctl_1", actions.Inject))
	b.control(aControl("ctl_2", actions.Inject))
	if c := taken(t, r); c.ID != "ctl_2" {
		t.Errorf("took %s again", c.ID)
	}
	if got := r.Observations(); len(got) != 1 || got[0].Content != "about ctl_2" {
		t.Errorf("observations %v, want the second alone", got)
	}
	b.ack("ctl_2", events.Applied)
}

// A halt is acknowledged, ends the run with its status and stops everything
// else; observations that no model will see are ignored.
func TestHalt(t *testing.T) {
	b := newBus(t)
	r := b.run(b.config())
	b.control(aControl("ctl_1", actions.Inject))
	taken(t, r)
	b.control(aControl("ctl_2", actions.HaltRun))
	receive(t, r.Done())
	b.ack("ctl_2", events.Applied)
	if e := b.want(events.RunEnd).End; e.Status != events.Stuck || e.Reason != "track_parcel repeats itself" {
		t.Errorf("ended %+v, want as the halt says", e)
	}
	b.ack("ctl_1", events.Ignored)
	if got := r.Observations(); got != nil {
		t.Errorf("a halted run has observations: %v", got)
	}
	var halted *worker.HaltedError
	_, err := r.Call(t.Context(), "track_parcel", nil)
	for what, err := range map[string]error{
		"Call": err, "Turn": r.Turn(events.Turn{}), "Message": r.Message("user", "", "hello"),
		"Result": r.Result(&worker.Call{ID: "c1", Tool: "x", Round: 1}, nil, nil),
	} {
		if !errors.As(err, &halted) || halted.Control.ID != "ctl_2" {
			t.Errorf("%s of a halted run: %v", what, err)
		}
	}
	if !strings.Contains(halted.Error(), "track_parcel repeats itself") || r.Halted() == nil {
		t.Errorf("the halt does not say why: %v", halted)
	}
	if err := r.End(testContext(t), events.Done, ""); err != nil {
		t.Errorf("End after a halt: %v", err)
	}
	b.silent() // no second run_end
}

// A halt interrupts a call that waits for its verdict.
func TestHaltWhileWaiting(t *testing.T) {
	b := newBus(t)
	r := b.run(b.config())
	wait := asking(t, r, "track_parcel", nil)
	b.want(events.ToolCall)
	b.control(aControl("ctl_1", actions.HaltRun))
	var halted *worker.HaltedError
	if _, err := wait(); !errors.As(err, &halted) {
		t.Errorf("Call: %v, want the halt", err)
	}
}

// What a halted run's tool brings is not reported: the run has ended.
func TestResultAfterHalt(t *testing.T) {
	b := newBus(t)
	r := b.run(b.config())
	out := make(chan error, 1)
	release := make(chan struct{})
	go func() {
		_, err := r.Do(testContext(t), "slow", nil, func(context.Context) (any, error) { <-release; return "late", nil })
		out <- err
	}()
	b.answer(b.want(events.ToolCall), allow)
	b.control(aControl("ctl_1", actions.HaltRun))
	b.ack("ctl_1", events.Applied)
	b.want(events.RunEnd)
	close(release)
	var halted *worker.HaltedError
	if err := receive(t, out); !errors.As(err, &halted) {
		t.Errorf("Do: %v, want the halt", err)
	}
	b.silent()
}

// The obey-table, and what is not obeyed at all.
func TestObeyTable(t *testing.T) {
	change := func(k actions.Kind, f func(*actions.Control)) actions.Control {
		c := aControl("ctl_1", k)
		f(&c)
		return c
	}
	past := func(c *actions.Control) { c.Time, c.Expires = c.Time.Add(-2*time.Hour), c.Expires.Add(-2*time.Hour) }
	for name, tc := range map[string]struct {
		control actions.Control
		outcome events.Outcome // empty where nothing is acknowledged
	}{
		"an escalation informs people":   {aControl("ctl_1", actions.Escalate), ""},
		"an expired halt":                {change(actions.HaltRun, past), events.Expired},
		"an expired observation":         {change(actions.Inject, past), events.Expired},
		"a halt in shadow":               {change(actions.HaltRun, func(c *actions.Control) { c.Reason = actions.Shadow }), ""},
		"a halt for another task":        {change(actions.HaltRun, func(c *actions.Control) { c.Task = "t2" }), ""},
		"a halt for another agent":       {change(actions.HaltRun, func(c *actions.Control) { c.Agent = "other" }), ""},
		"a halt for another run":         {change(actions.HaltRun, func(c *actions.Control) { c.Run = "r2" }), ""},
		"a halt of an unknown version":   {change(actions.HaltRun, func(c *actions.Control) { c.V = 2 }), ""},
		"a halt without a status to end": {change(actions.HaltRun, func(c *actions.Control) { c.EndStatus = nil }), ""},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBus(t)
			r := b.run(b.config())
			body, err := tc.control.Encode()
			if err != nil {
				t.Fatal(err)
			}
			b.send(events.ControlSubject("default", "agent", "r1"), body, "")
			b.control(aControl("ctl_last", actions.Inject)) // behind it on the same subject
			for taken(t, r).ID != "ctl_last" {
			}
			if r.Halted() != nil {
				t.Error("the run was halted")
			}
			if got := r.Observations(); len(got) != 1 {
				t.Errorf("%d observations, want the last control's alone", len(got))
			}
			if tc.outcome != "" {
				b.ack("ctl_1", tc.outcome)
			}
			b.ack("ctl_last", events.Applied)
		})
	}
}

// After its end a run ignores what still arrives, until everything is sent.
func TestControlsAfterTheEnd(t *testing.T) {
	b := newBus(t)
	r := b.run(b.config())
	b.control(aControl("ctl_1", actions.Inject))
	taken(t, r)
	if err := r.End(testContext(t), events.Done, "finished"); err != nil {
		t.Fatal(err)
	}
	if e := b.want(events.RunEnd).End; e.Status != events.Done || e.Reason != "finished" {
		t.Errorf("ended %+v", e)
	}
	b.ack("ctl_1", events.Ignored)
	if _, open := <-r.Controls(); open {
		t.Error("the channel of controls stays open")
	}
	if n := b.agent.NumSubscriptions(); n != 1 { // that of the acknowledgements
		t.Errorf("%d subscriptions are left, want 1", n)
	}
	if err := r.Turn(events.Turn{}); !errors.Is(err, worker.ErrOver) {
		t.Errorf("Turn: %v, want ErrOver", err)
	}
}

// A run with a trusted key obeys what that key signed for its own subject, and
// nothing else.
func TestSignature(t *testing.T) {
	b := newBus(t)
	cfg := b.config()
	cfg.Trusted = actions.NewKeyRing(b.signer.Public())
	r := b.run(cfg)
	halt := aControl("ctl_1", actions.HaltRun)
	body, err := halt.Encode()
	if err != nil {
		t.Fatal(err)
	}
	subject := events.ControlSubject("default", "agent", "r1")
	forger, err := actions.GenerateSigner(strings.NewReader(strings.Repeat("x", 32)))
	if err != nil {
		t.Fatal(err)
	}
	for name, sig := range map[string]string{
		"unsigned":                   "",
		"signed by another":          forger.Sign(actions.DomainControl, subject, body),
		"signed for another run":     b.signer.Sign(actions.DomainControl, events.ControlSubject("default", "agent", "r2"), body),
		"signed as a record":         b.signer.Sign(actions.DomainRecord, subject, body),
		"signed with another text":   b.signer.Sign(actions.DomainControl, subject, append(body, ' ')),
		"no signature":               "ctl.e30",
		"signed by another, as ours": b.signer.KeyID() + forger.Sign(actions.DomainControl, subject, body)[8:],
	} {
		t.Run(name, func(t *testing.T) { b.send(subject, body, sig) })
	}
	b.control(aControl("ctl_2", actions.Inject))
	if c := taken(t, r); c.ID != "ctl_2" || r.Halted() != nil {
		t.Errorf("took %s", c.ID)
	}
	b.control(halt)
	receive(t, r.Done())
}

// A verdict that no trusted key signed decides nothing, and its controls are
// not obeyed.
func TestForgedVerdict(t *testing.T) {
	b := newBus(t)
	cfg := b.config()
	cfg.Trusted = actions.NewKeyRing(b.signer.Public())
	r := b.run(cfg)
	wait := asking(t, r, "track_parcel", nil)
	s := b.want(events.ToolCall)
	genuine := b.signer
	b.signer = actions.Signer{}
	b.answer(s, actions.Verdict{Decision: actions.RefuseCall, Controls: []actions.Control{aControl("ctl_1", actions.HaltRun)}})
	b.signer = genuine
	other := s
	other.ID = "another"
	b.answer(other, actions.Verdict{Decision: actions.RefuseCall}) // ours, and about another event
	b.answer(s, allow)
	if c, err := wait(); err != nil || c.Replay != nil || c.Guarded {
		t.Errorf("Call: %+v, %v; want allowed", c, err)
	}
	b.answer(s, actions.Verdict{Decision: actions.RefuseCall}) // a question has one answer
	if _, err := b.call(r, "get_order", nil, allow); err != nil {
		t.Errorf("halted by a second answer: %v", err)
	}
}
