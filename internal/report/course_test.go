package report_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/loopwatch/loopwatch/internal/report"
	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
)

// life feeds one random run to a collector and to a course, and returns what
// each says that it did not spend.
func life(t *testing.T, seed uint64) (want, got report.Saved) {
	t.Helper()
	rnd := rand.New(rand.NewPCG(seed, 3))
	c, err := report.New(report.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var course report.Course
	n := uint64(0)
	say := func(e events.Event) events.Event {
		n++
		e.V, e.ID, e.Seq, e.Tenant, e.Agent, e.Task, e.Run = 1, fmt.Sprint("e", n), n, "default", "support", "t", "r"
		e.Time = time.Date(2026, 3, 2, 8, 0, int(n), 0, time.UTC)
		c.Event(&e)
		course.Event(&e)
		return e
	}
	limits := events.Limits{MaxTurns: rnd.IntN(2) * (4 + rnd.IntN(30)), MaxCostUSD: float64(rnd.IntN(2)) * 2, MaxTokens: int64(rnd.IntN(2)) * 4000}
	say(events.Event{Kind: events.RunStart, Start: &events.Start{Limits: limits}})
	for round := range 2 + rnd.IntN(8) {
		turn := &events.Turn{}
		if rnd.IntN(8) > 0 {
			cost := 0.1 + 0.02*float64(round)
			turn.CostUSD = &cost
		}
		if rnd.IntN(8) > 0 {
			turn.Usage = &events.Usage{InputTokens: int64(100 + 50*round), OutputTokens: 20}
		}
		last := say(events.Event{Kind: events.TurnKind, Round: round + 1, Turn: turn})
		if rnd.IntN(3) == 0 {
			m := &actions.Message{Control: actions.Control{
				Tenant: "default", Agent: "support", Task: "t", Run: "r", Rung: 1,
				Detector: []string{"repeat", "repeat", "repeat", "repeat", "budget", "operator"}[rnd.IntN(6)], Kind: []actions.Kind{actions.Inject, actions.HaltRun}[rnd.IntN(2)],
				Reason: []actions.Reason{actions.Acted, actions.Acted, actions.Cooldown}[rnd.IntN(3)],
				Cause:  actions.Cause{Event: []string{last.ID, last.ID, last.ID, last.ID, "elsewhere"}[rnd.IntN(5)]},
			}}
			c.Decision(m)
			course.Decision(m)
		}
	}
	status := []events.Status{events.Done, events.Stuck, events.Failed}[rnd.IntN(3)]
	say(events.Event{Kind: events.RunEnd, End: &events.End{Status: status}})
	return c.Finish().Savings.Total, course.End(string(status), limits, events.Limits{})
}

// A course reckons as the report does.
func TestACourseAgreesWithTheReport(t *testing.T) {
	saved := 0
	for seed := range uint64(200) {
		want, got := life(t, seed)
		if got != want {
			t.Errorf("seed %d: the course says %+v, the report %+v", seed, got, want)
		}
		saved += want.Runs
	}
	if saved < 20 {
		t.Errorf("%d runs saved anything: the test shows nothing", saved)
	}
}

func TestACourseAddsWhatAnOperatorGranted(t *testing.T) {
	for _, tt := range []struct {
		name    string
		granted events.Limits
		turns   float64
	}{{"nothing", events.Limits{}, 7}, {"five turns", events.Limits{MaxTurns: 5}, 12}} {
		t.Run(tt.name, func(t *testing.T) {
			var c report.Course
			for n := range 3 {
				c.Event(&events.Event{ID: fmt.Sprint(n), Kind: events.TurnKind, Round: n + 1, Turn: &events.Turn{}})
			}
			c.Decision(&actions.Message{Control: actions.Control{
				Detector: "repeat", Kind: actions.HaltRun, Reason: actions.Acted, Cause: actions.Cause{Event: "2"}, Rung: 2,
			}})
			if got := c.End("stuck", events.Limits{MaxTurns: 10}, tt.granted); got.Turns != tt.turns || got.Runs != 1 || got.USD != 0 || got.Unpriced != 1 {
				t.Errorf("%+v, want %v turns of unknown price", got, tt.turns)
			}
		})
	}
}
