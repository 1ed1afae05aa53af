package e2e

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/worker"
)

// support is the agent of the garden bench story: a customer asks for a
// parcel, and the tracking tool answers without resolving.
type support struct {
	s        *stage
	run      *worker.Run
	clock    *clock
	executed map[string]int
	context  []string // what the model sees
}

const (
	parcel   = `{"tracking_number":"JD0002261150"}`
	noScans  = "no scans recorded for this tracking number"
	inWords  = `track_parcel «{"tracking_number":"JD0002261150"}»`
	howOften = "has been called twice with the same arguments"
)

func newSupport(s *stage, data, run, task string) *support {
	a := &support{s: s, clock: newClock(), executed: map[string]int{}}
	a.run = s.worker(data, worker.Config{
		Agent: "support", Run: run, Task: task, Now: a.clock.now,
		Start: events.Start{Attempt: 1, Model: "scripted", Goal: "where is my garden bench?", Tools: []events.Tool{
			{Name: "track_parcel", Effect: events.EffectRead}, {Name: "message_seller", Effect: events.EffectWrite},
			{Name: "get_order", Effect: events.EffectRead},
		}},
	})
	return a
}

// turn is one round: the model says something, ten seconds later, for ten
// cents and 1,050 tokens, and calls a tool.
func (a *support) turn(text, tool, args, answer string) (worker.Output, error) {
	a.s.t.Helper()
	for _, o := range a.run.Observations() {
		a.context = append(a.context, o.Content)
	}
	a.clock.add(10 * time.Second)
	cost := 0.10
	if err := a.run.Turn(events.Turn{Text: text, CostUSD: &cost, Usage: &events.Usage{InputTokens: 1000, OutputTokens: 50}}); err != nil {
		return worker.Output{}, err
	}
	return a.run.Do(a.s.bounded(), tool, args, func(context.Context) (any, error) {
		a.executed[tool]++
		return answer, nil
	})
}

// track asks where the parcel is.
func (a *support) track() (worker.Output, error) {
	return a.turn("Let me look where the parcel is.", "track_parcel", parcel, noScans)
}

// twice asks twice and holds what came back: the second call is not executed.
func (a *support) twice() {
	t := a.s.t
	t.Helper()
	first, err := a.track()
	if err != nil || first.Label != "" || first.Text() != noScans {
		t.Fatalf("first call: %+v, %v", first, err)
	}
	second, err := a.track()
	if err != nil || string(second.Content) != string(first.Content) {
		t.Fatalf("second call: %+v, %v; want the first result", second, err)
	}
	if want := "cached result of call c1, 10 s old; not executed again"; second.Label != want || !strings.Contains(second.Text(), want) {
		t.Errorf("the model is shown %q", second.Text())
	}
	if a.executed["track_parcel"] != 1 {
		t.Fatalf("track_parcel was executed %d times", a.executed["track_parcel"])
	}
}

// The garden bench: an agent that goes on after it was told is ended stuck,
// and a person gets a summary in which every number is right.
func TestGardenBenchGoesOn(t *testing.T) {
	s := newStage(t, "sundry")
	data, _ := s.manned()
	a := newSupport(s, data, "bench-1", "order-4471")
	a.twice()
	_, err := a.track()
	halt := halted(t, "third call", err)
	if *halt.EndStatus != "stuck" || halt.Detector != "repeat" || a.executed["track_parcel"] != 1 {
		t.Errorf("halted by %s as %s, track_parcel executed %d times", halt.Detector, *halt.EndStatus, a.executed["track_parcel"])
	}
	if len(a.context) != 1 {
		t.Fatalf("the model was told %d times: %q", len(a.context), a.context)
	}
	for _, want := range []string{
		inWords + " " + howOften + ". It came back with «" + noScans + "».", "will not change the answer",
		"message_seller, get_order", "what is already known", "report_blocked", "a person",
	} {
		if !strings.Contains(a.context[0], want) {
			t.Errorf("the observation does not say %q:\n%s", want, a.context[0])
		}
	}
	if err := a.run.End(s.bounded(), events.Done, ""); err != nil {
		t.Fatal(err)
	}
	a.summary()
}

// summary checks what is logged of the run that was ended, number by number.
func (a *support) summary() {
	s, t := a.s, a.s.t
	t.Helper()
	d := s.settled("bench-1")
	if d.Phase != "ended" || d.Status != "stuck" || !d.Halted || d.Turns != 3 || d.Calls != 3 || d.Unpriced != 0 ||
		d.Gaps != 0 || d.Controls != 3 || d.Detector != "repeat" || d.CostUSD < 0.2999 || d.CostUSD > 0.3001 {
		t.Errorf("the run stands as %+v", d.Run)
	}
	log := s.acted("bench-1")
	if want := []actions.Kind{actions.Inject, actions.HaltRun, actions.Escalate}; !slices.Equal(kinds(log), want) {
		t.Fatalf("controls %v, want %v", kinds(log), want)
	}
	for i, c := range log {
		if c.N != i+1 || c.Rung != min(i+1, 2) || c.Evidence.Count != min(i+2, 3) || c.Evidence.SinceRound != 1 ||
			c.Round != min(i+2, 3) || c.Incident != log[0].Incident || len(c.Evidence.Events) != len(c.Evidence.StreamSeqs) {
			t.Errorf("control %d: n %d, rung %d, round %d, evidence %+v", i+1, c.N, c.Rung, c.Round, c.Evidence)
		}
	}
	if r := log[0].Replay; r == nil || r.CallID != "c2" || r.OfCallID != "c1" {
		t.Errorf("the observation's replay is %+v", r)
	}
	want := []string{
		"Run bench-1 was halted as stuck: track_parcel has been called 3 times with the same arguments.",
		"Who: agent support, task order-4471, tenant default",
		"Tried: 3 tool calls in 3 turns; it was told once and went on",
		"Repeated: " + inWords,
		"Answer: It came back with «" + noScans + "».",
		"Last rounds: 1 " + inWords + " → «" + noScans + "»; 2 " + inWords + "; 3 " + inWords,
		"So far: 3 turns, 3150 tokens, 0.30 USD reported, 30s",
		"Since round 1: 2 turns without result, about 0.20 USD",
		"Look: loopwatch show bench-1",
		`Resume: loopwatch resume bench-1 --note "…"`,
	}
	if d := cmp.Diff(want, strings.Split(log[2].Summary, "\n")); d != "" {
		t.Errorf("the escalation (-want +got):\n%s", d)
	}
}

// The garden bench: an agent that takes another way after it was told finishes.
func TestGardenBenchTakesAnotherWay(t *testing.T) {
	s := newStage(t, "sundry")
	data, _ := s.manned()
	a := newSupport(s, data, "bench-2", "order-4472")
	a.twice()
	out, err := a.turn("I ask the seller.", "message_seller", `{"text":"Where is JD0002261150?"}`, "sent")
	if err != nil || out.Text() != "sent" || len(a.context) != 1 {
		t.Fatalf("another way: %+v, %v, told %q", out, err, a.context)
	}
	if err := a.run.Message("assistant", "", "The seller looks for your bench."); err != nil {
		t.Fatal(err)
	}
	if err := a.run.End(s.bounded(), events.Done, "handed to the seller"); err != nil {
		t.Fatal(err)
	}
	d := s.settled("bench-2")
	if d.Phase != "ended" || d.Status != "done" || d.Halted || d.Turns != 3 || d.Calls != 3 || d.Controls != 1 {
		t.Errorf("the run stands as %+v", d.Run)
	}
	if got := kinds(s.acted("bench-2")); !slices.Equal(got, []actions.Kind{actions.Inject}) {
		t.Errorf("controls %v, want the observation alone", got)
	}
}

// A result that is too large to send is handed back whole all the same: the
// worker has it.
func TestLargeResultIsReplayedWhole(t *testing.T) {
	s := newStage(t, "sundry")
	data, _ := s.manned()
	r := s.worker(data, worker.Config{Agent: "support", Run: "r1", Task: "order-1"})
	large, executed := strings.Repeat("a long page; ", 50_000), 0
	read := func() (worker.Output, error) {
		return r.Do(s.bounded(), "read", `{"page":1}`, func(context.Context) (any, error) { executed++; return large, nil })
	}
	if _, err := read(); err != nil {
		t.Fatal(err)
	}
	out, err := read()
	if err != nil || executed != 1 || out.Label == "" || out.Text() != "["+out.Label+"]\n"+large {
		t.Errorf("second call: %d bytes, %q, %v, executed %d times", len(out.Content), out.Label, err, executed)
	}
	if got := s.told(r); !strings.Contains(got, "a long page; a long page") || len(got) > 4000 {
		t.Errorf("told %q", got)
	}
}

// Workers whose clocks are hours apart are answered, told and halted.
func TestClocksApart(t *testing.T) {
	s := newStage(t, "sundry")
	data, _ := s.manned()
	for name, skew := range map[string]time.Duration{"ahead": 3 * time.Hour, "behind": -3 * time.Hour} {
		r := s.worker(data, worker.Config{Run: name, Task: name, Now: func() time.Time { return time.Now().Add(skew) }})
		c, err := r.Call(s.bounded(), "read", nil)
		if err != nil || c.Guarded {
			t.Errorf("%s: %+v, %v", name, c, err)
		}
		s.act(events.Operator{Action: "halt", Scope: events.Scope{Task: name, Run: name}})
		receive(t, "the halt of "+name, r.Done())
		if d := s.settled(name); d.Status != "halted" {
			t.Errorf("%s stands as %+v", name, d.Run)
		}
	}
}
