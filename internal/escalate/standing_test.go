package escalate

import (
	"testing"

	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/state"
)

func TestStandingOf(t *testing.T) {
	id := state.RunID{Tenant: "default", Task: "t-r1", Run: "r1"}
	halt := state.Halt{Control: "ctl_h", Incident: "inc_r1", Detector: "repeat"}
	for _, c := range []struct {
		name     string
		change   func(*state.Partition, *state.Run)
		detector string
		want     Standing
	}{
		{name: "its cause is not applied yet", change: func(p *state.Partition, _ *state.Run) { p.Meta.Checkpoint.Seq = 6 }, want: Unknown},
		{name: "nothing is applied yet", change: func(p *state.Partition, _ *state.Run) { p.Meta.Checkpoint = state.Checkpoint{} }, want: Unknown},
		{name: "its events are gone", change: func(p *state.Partition, _ *state.Run) { p.Meta.Checkpoint.CreatedNS = 2e6 }, want: Closed},
		{name: "halted", change: func(_ *state.Partition, r *state.Run) { r.Ledger.Halt = halt }, want: Open},
		{name: "halted and ended as that demands", change: func(_ *state.Partition, r *state.Run) {
			r.Ledger.Halt, r.Phase, r.EndedAs = halt, state.Ended, events.Stuck
		}, want: Open},
		{name: "halted and done all the same", change: func(_ *state.Partition, r *state.Run) {
			r.Ledger.Halt, r.Phase, r.EndedAs = halt, state.Ended, events.Done
		}, want: Closed},
		{name: "halted, and a person left it so", change: func(_ *state.Partition, r *state.Run) {
			r.Ledger.Halt = halt
			r.Ledger.Halt.By = "ops"
		}, want: Closed},
		{name: "resumed", change: func(_ *state.Partition, r *state.Run) { r.Ledger.Lifted = 8 }, want: Closed},
		{name: "resumed, and halted again since", change: func(_ *state.Partition, r *state.Run) {
			r.Ledger.Halt, r.Ledger.Lifted = halt, 8
		}, want: Closed},
		{name: "resumed before", change: func(_ *state.Partition, r *state.Run) { r.Ledger.Halt, r.Ledger.Lifted = halt, 5 }, want: Open},
		{name: "not halted, its incident is open", change: func(_ *state.Partition, r *state.Run) {
			r.Ledger.Begin(state.Incident{ID: "inc_r1"})
		}, want: Open},
		{name: "not halted, its incident is closed", change: func(_ *state.Partition, r *state.Run) {
			r.Ledger.Begin(state.Incident{ID: "inc_r1", Closed: true})
		}, want: Closed},
		{name: "not halted, and the run ended", change: func(_ *state.Partition, r *state.Run) {
			r.Ledger.Begin(state.Incident{ID: "inc_r1"})
			r.Phase, r.EndedAs = state.Ended, events.Failed
		}, want: Closed},
		{name: "its ledger is fresh", want: Closed},
		{name: "the halt is ignored", detector: ignored, change: func(_ *state.Partition, r *state.Run) { r.Ledger.Halt = halt }, want: Open},
		{name: "an operator's halt is ignored", detector: ignored, change: func(_ *state.Partition, r *state.Run) {
			r.Ledger.Halt = state.Halt{Control: "ctl_o", Detector: "operator", By: "ops"}
		}, want: Open},
		{name: "the halt was ignored until the end", detector: ignored, change: func(_ *state.Partition, r *state.Run) {
			r.Ledger.Halt, r.Phase = halt, state.Ended
		}, want: Closed},
		{name: "the ignored halt was lifted", detector: ignored, want: Closed},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := state.OpenPartition(state.NewMemory(), 0)
			if err != nil {
				t.Fatal(err)
			}
			p.Meta.Checkpoint = state.Checkpoint{Seq: 9, CreatedNS: 1e6}
			r := p.Create(id, "support")
			if c.change != nil {
				c.change(p, r)
			}
			e := Escalation{Tenant: "default", Task: "t-r1", Run: "r1", Detector: "repeat", Incident: "inc_r1", Stream: 1, Seq: 7}
			if c.detector != "" {
				e.Detector = c.detector
			}
			if got := StandingOf(p, &e); got != c.want {
				t.Errorf("it stands at %d, want %d", got, c.want)
			}
			e.Run = "other"
			if got := StandingOf(p, &e); c.want == Open && got != Closed {
				t.Errorf("of a run that is not known: %d, want closed", got)
			}
		})
	}
}
