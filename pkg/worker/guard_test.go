package worker_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/loopwatch/loopwatch/internal/replay"
	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/worker"
)

func preset(t *testing.T, name string) *actions.Policy {
	t.Helper()
	p, err := actions.Preset(name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// guarded is a run whose bus never answers in time.
func (b *bus) guarded(change func(*worker.Config)) *worker.Run {
	b.t.Helper()
	cfg := b.config()
	cfg.Wait, cfg.NoGuard, cfg.Guard = time.Nanosecond, false, preset(b.t, "sundry")
	if change != nil {
		change(&cfg)
	}
	r, err := worker.Start(testContext(b.t), cfg)
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(r.Close)
	b.want(events.RunStart)
	return r
}

// track is one call of the tool that answers without resolving.
func track(r *worker.Run, executed *int) (worker.Output, error) {
	return r.Do(context.Background(), "track_parcel", map[string]any{"tracking_number": "JD1"}, answerWith("no scans recorded", nil, executed))
}

// decided returns the controls that the processor would send on these events.
func decided(t *testing.T, policy string, all []said) []replay.Line {
	t.Helper()
	var out []replay.Line
	r, err := replay.New(replay.Options{Policy: preset(t, policy), Spool: t.TempDir()}, func(l replay.Line) error {
		out = append(out, l)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	for _, s := range all {
		raw, err := events.Encode(s.Event)
		if err == nil {
			err = r.Feed(s.Event, raw)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// Without an answer the guard goes by the same rules: it hands the first
// result back, tells, and ends the run, and what it acknowledges is what the
// processor will have decided on the same events.
func TestGuard(t *testing.T) {
	b := newBus(t)
	r := b.guarded(nil)
	executed := 0
	first, err := track(r, &executed)
	if err != nil || first.Label != "" {
		t.Fatalf("first: %+v, %v", first, err)
	}
	second, err := track(r, &executed)
	if err != nil || executed != 1 || string(second.Content) != `"no scans recorded"` || !strings.HasPrefix(second.Label, "cached result of call c") {
		t.Fatalf("second: %+v, %v, executed %d times", second, err, executed)
	}
	told := r.Observations()
	if len(told) != 1 || !strings.Contains(told[0].Content, "track_parcel") || !strings.Contains(told[0].Content, "no scans recorded") {
		t.Fatalf("told %v", told)
	}
	_, err = track(r, &executed)
	var halted *worker.HaltedError
	if !errors.As(err, &halted) || executed != 1 || *halted.Control.EndStatus != "stuck" {
		t.Fatalf("third: %v, executed %d times", err, executed)
	}
	all := []said{b.want(events.ToolCall), b.want(events.ToolResult), b.want(events.ToolCall), b.want(events.ToolResult),
		b.want(events.ControlAck), b.want(events.ToolCall), b.want(events.ControlAck), b.want(events.RunEnd)}
	if !all[3].Result.Replayed || all[4].Ack.Outcome != events.Applied || all[6].Ack.Outcome != events.Applied || all[7].End.Status != events.Stuck {
		t.Errorf("said %+v %+v %+v %+v", all[3].Result, all[4].Ack, all[6].Ack, all[7].End)
	}
	b.sameControls(all, "sundry")
}

// sameControls fails unless the acknowledged controls are those that the
// processor decides on the same events.
func (b *bus) sameControls(all []said, policy string) {
	b.t.Helper()
	want := map[string]bool{}
	for _, l := range decided(b.t, policy, all) {
		if l.Reason == actions.Acted && l.Kind != actions.Escalate {
			want[actions.ControlID(runID, l.Kind, l.Detector, l.Incident, l.Rung)] = true
		}
	}
	if len(want) == 0 {
		b.t.Error("nothing would be decided: the test proves nothing")
	}
	for _, s := range all {
		if s.Ack != nil && !want[s.Ack.Control] {
			b.t.Errorf("acknowledged %s, which the processor does not decide", s.Ack.Control)
		} else if s.Ack != nil {
			delete(want, s.Ack.Control)
		}
	}
	for id := range want {
		b.t.Errorf("the processor decides %s, which was not acknowledged", id)
	}
}

// What the guard decided is not done again when the processor says it, too.
func TestGuardAndProcessorSayTheSame(t *testing.T) {
	b := newBus(t)
	r := b.guarded(nil)
	executed := 0
	for range 2 {
		if _, err := track(r, &executed); err != nil {
			t.Fatal(err)
		}
	}
	if told := r.Observations(); len(told) != 1 {
		t.Fatalf("told %v", told)
	}
	var id string
	for id == "" {
		if s := b.next(); s.Ack != nil {
			id = s.Ack.Control
		}
	}
	taken(t, r)
	b.control(aControl(id, actions.Inject))
	b.control(aControl("ctl_other", actions.Inject))
	if c := taken(t, r); c.ID != "ctl_other" {
		t.Errorf("took %s again", c.ID)
	}
	if told := r.Observations(); len(told) != 1 || told[0].Content != "about ctl_other" {
		t.Errorf("told %v", told)
	}
}

// While the bus answers, the guard only watches.
func TestGuardIsSilentWhileTheBusAnswers(t *testing.T) {
	b := newBus(t)
	cfg := b.config()
	cfg.NoGuard, cfg.Guard = false, preset(t, "sundry")
	r := b.run(cfg)
	executed := 0
	for range 3 { // sundry would have told and halted by now
		if _, err := b.do(r, allow, "track_parcel", nil, answerWith("no scans", nil, &executed)); err != nil {
			t.Fatal(err)
		}
		b.want(events.ToolResult)
	}
	b.stop()
	if _, err := track(r, &executed); err != nil {
		t.Errorf("what was answered is settled: %v", err)
	}
	if told := r.Observations(); told != nil || executed != 4 {
		t.Errorf("told %v, executed %d times", told, executed)
	}
}

// An answer settles what the guard found until its question, not later: of two
// calls at once the second is unanswered and the guard has its say.
func TestGuardKeepsWhatIsNotAnswered(t *testing.T) {
	b := newBus(t)
	cfg := b.config()
	cfg.NoGuard, cfg.Guard, cfg.Wait = false, preset(t, "sundry"), long
	r := b.run(cfg)
	first := asking(t, r, "track_parcel", nil)
	one := b.want(events.ToolCall)
	second := asking(t, r, "track_parcel", nil)
	b.want(events.ToolCall)
	b.answer(one, allow)
	if _, err := first(); err != nil {
		t.Fatal(err)
	}
	b.stop()
	if told := r.Observations(); len(told) != 1 || !strings.Contains(told[0].Content, "track_parcel") {
		t.Errorf("told %v", told)
	}
	r.Close()
	if _, err := second(); !errors.Is(err, worker.ErrOver) {
		t.Errorf("Call of a run that let go: %v", err)
	}
}

// The guard goes by the fleet's policy as it is at the start.
func TestGuardTakesTheFleetsPolicy(t *testing.T) {
	for policy, want := range map[string]bool{"sundry": true, "": false} {
		t.Run("pushed "+policy, func(t *testing.T) {
			b := newBus(t)
			if policy != "" {
				kv, err := b.js.KeyValue(testContext(t), "LW_POLICY")
				if err != nil {
					t.Fatal(err)
				}
				if _, err := kv.PutString(testContext(t), "policy", preset(t, policy).YAML); err != nil {
					t.Fatal(err)
				}
			}
			cfg := b.config()
			cfg.NoGuard = false
			r := b.run(cfg)
			b.stop()
			executed := 0
			for range 2 {
				if _, err := track(r, &executed); err != nil {
					t.Fatal(err)
				}
			}
			if told := len(r.Observations()) == 1; told != want {
				t.Errorf("told at the second call: %v, want %v", told, want)
			}
		})
	}
}

// Without a guard an unanswered call is allowed, or blocked where the run says
// so; a hello never blocks.
func TestNoGuard(t *testing.T) {
	b := newBus(t)
	r := b.guarded(func(c *worker.Config) { c.NoGuard = true })
	if c, err := r.Call(t.Context(), "tool", nil); err != nil || !c.Guarded || c.Replay != nil {
		t.Errorf("Call: %+v, %v; want allowed", c, err)
	}
	b.want(events.ToolCall)
	r = b.guarded(func(c *worker.Config) { c.NoGuard, c.FailClosed, c.Run = true, true, "r2" })
	if _, err := r.Call(t.Context(), "tool", nil); !errors.Is(err, worker.ErrBlocked) {
		t.Errorf("Call: %v, want ErrBlocked", err)
	}
}
