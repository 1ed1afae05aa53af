package engine_test

import (
	"testing"
	"time"

	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/state"
)

func TestARunWithoutEventsIsLostAndThenForgotten(t *testing.T) {
	w := newWorld(t, "default")
	w.start("r1", "")
	w.tick(23 * time.Hour)
	if w.run("r1").Phase != state.Live {
		t.Fatal("lost before its time")
	}
	if res := w.tick(2 * time.Hour); len(res.Lost) != 1 || res.Lost[0].Run.Run != "r1" || res.Lost[0].Agent != w.run("r1").Agent || w.run("r1").Phase != state.Lost {
		t.Fatalf("%v lost, the run is %s", res.Lost, w.run("r1").Phase)
	}
	w.call("r1", 1, `{}`)
	if w.run("r1").Phase != state.Live {
		t.Error("a late event does not bring the run back")
	}
	w.tick(25 * time.Hour)
	w.commit()
	w.tick(73 * time.Hour)
	w.commit()
	if w.part.Run(state.RunID{Tenant: "default", Task: "t1", Run: "r1"}) != nil {
		t.Error("the run is remembered longer than its events")
	}
	if at, err := w.part.NextDue(); err != nil || at != 0 {
		t.Errorf("a deadline is left at %d (%v)", at, err)
	}
}

func TestABusyRunIsNotLost(t *testing.T) {
	w := newWorld(t, "default")
	w.start("r1", "")
	for range 5 {
		w.now = w.now.Add(10 * time.Hour)
		w.call("r1", 1, `{}`)
		w.tick(time.Second)
	}
	if w.run("r1").Phase != state.Live {
		t.Errorf("a run with events is %s", w.run("r1").Phase)
	}
}

func TestAHaltIsSentAgainThreeTimes(t *testing.T) {
	w := newWorld(t, "sundry")
	w.loop("r1")
	sent := 0
	for range 10 {
		for _, r := range w.tick(30 * time.Second).Resend {
			if r.Control != w.run("r1").Ledger.Halt.Control {
				t.Errorf("sent again: %+v", r)
			}
			sent++
		}
	}
	sent += len(w.tick(25 * time.Hour).Resend) // another deadline comes
	if sent != 3 {
		t.Errorf("sent again %d times", sent)
	}
}

func TestAnAcknowledgedHaltIsNotSentAgain(t *testing.T) {
	w := newWorld(t, "sundry")
	w.loop("r1")
	w.step("r1", events.Event{Kind: events.ControlAck, Ack: &events.Ack{Control: w.run("r1").Ledger.Halt.Control, Outcome: events.Applied}})
	for range 5 {
		if again := w.tick(time.Minute).Resend; len(again) > 0 {
			t.Errorf("sent again: %+v", again)
		}
	}
}

func TestAnAcknowledgementSaysHowLongItTook(t *testing.T) {
	w := newWorld(t, "sundry")
	w.loop("r1")
	ack := events.Event{Kind: events.ControlAck, Ack: &events.Ack{Control: w.run("r1").Ledger.Halt.Control, Outcome: events.Applied}}
	asked := w.run("r1").StoredMS
	w.now = w.now.Add(7 * time.Second)
	got := w.step("r1", ack).Waited
	if want := time.Duration(w.run("r1").StoredMS-asked) * time.Millisecond; got != want || got < 7*time.Second {
		t.Errorf("waited %v, want %v", got, want)
	}
	if again := w.step("r1", ack).Waited; again != 0 {
		t.Errorf("an acknowledgement of nothing waited %v", again)
	}
}

func TestActingPastAHaltIsRaisedOnce(t *testing.T) {
	w := newWorld(t, "sundry")
	w.loop("r1")
	same(t, "a question", acted(w.call("r1", 4, `{"n":2}`)), []string{})
	same(t, "an act", acted(w.result("r1", 4, `"x"`)), []string{"r1:escalate:halt_ignored"})
	same(t, "once", acted(w.step("r1", events.Event{Kind: events.TurnKind, Round: 5, Turn: &events.Turn{}})), []string{})
}

func TestAnAnswerToAnEarlierCallIsNoAct(t *testing.T) {
	w := newWorld(t, "sundry")
	w.call("r1", 1, `{"n":1}`)
	w.call("r1", 2, `{"n":1}`)
	same(t, "halt", acted(w.call("r1", 3, `{"n":1}`)), []string{"r1:halt:repeat", "r1:escalate:repeat"})
	same(t, "answer", acted(w.result("r1", 2, `"x"`)), []string{})
}

func TestDeadlinesSurviveARestart(t *testing.T) {
	w := newWorld(t, "sundry")
	w.loop("r1")
	w.commit()
	w.reopen("sundry")
	if res := w.tick(31 * time.Second); len(res.Resend) != 1 {
		t.Errorf("after a restart %d halts are sent again", len(res.Resend))
	}
	if w.run("r1").Ledger.Halt.Detector != "repeat" || w.call("r1", 9, `{}`).Answer.Decision != actions.RefuseCall {
		t.Error("the halt is forgotten")
	}
}
