package bench

import (
	"context"
	"runtime"

	"github.com/loopwatch/loopwatch/pkg/events"
)

// Where in a run its cost is looked at, in calls, and over how many.
const (
	earlyCall = 1_000
	lateCall  = 100_000
	lookedAt  = 2_000
	shortRun  = 3_000 // of the comparison with rules that look at the whole history
)

// Length measures whether a run costs more the longer it lasts: the CPU time of
// an event at call 100,000 against call 1,000. Beside it stands a published rule
// set that looks at the whole history at every call, on a run of 3,000 calls.
func Length(_ context.Context, c Config, r *Report) error {
	var ratios, ours, theirs []float64
	for n := range c.Rounds {
		long, err := costs(c.Seed, lateCall, earlyCall, lateCall)
		if err != nil {
			return err
		}
		own, err := costs(c.Seed, shortRun, shortRun/10, shortRun)
		if err != nil {
			return err
		}
		other, err := historyCosts(c.Seed, shortRun)
		if err != nil {
			return err
		}
		ratios, ours, theirs = append(ratios, long), append(ours, own), append(theirs, other)
		c.Tell("length: round %d of %d: %.2f over 100,000 calls; over 3,000 %.2f, rules over the history %.2f\n",
			n+1, c.Rounds, long, own, other)
	}
	r.Used["length"] = c.Rounds
	r.Ratio["step_by_length"] = median(ratios)
	r.Ratio["growth_to_3000_calls"] = median(ours)
	r.Ratio["growth_to_3000_calls_of_history_rules"] = median(theirs)
	return nil
}

// costs returns the CPU time of the events before call late, against that of
// those before call early, of one run.
func costs(seed uint64, calls, early, late int) (float64, error) {
	_, g, err := bare()
	if err != nil {
		return 0, err
	}
	span := min(lookedAt, early/2)
	return growth(seed, calls, [2]int{early, late}, span, func(e *events.Event) error {
		_, err := g.Step(e)
		return err
	})
}

// growth applies a run and returns the CPU time of an event of the second of two
// spans, which end at those calls, over one of the first. Events are made before
// they are measured.
func growth(seed uint64, calls int, ends [2]int, span int, apply func(*events.Event) error) (float64, error) {
	var held []events.Event
	var cost [2]float64
	n := 0
	err := Fleet{Seed: seed, Size: 600}.One(calls, func(e events.Event) error {
		if e.Kind == events.ToolCall {
			n++
		}
		for i, end := range ends {
			if n > end-span && n < end {
				held = append(held, e)
				return nil
			}
			if n == end && len(held) > 0 {
				var err error
				if cost[i], err = measured(held, apply); err != nil {
					return err
				}
				held = nil
			}
		}
		return apply(&e)
	})
	if err != nil || cost[0] == 0 {
		return 0, err
	}
	return cost[1] / cost[0], nil
}

// measured applies events and returns the CPU time of each, in seconds.
func measured(held []events.Event, apply func(*events.Event) error) (float64, error) {
	runtime.GC()
	before := ownCPU()
	for i := range held {
		if err := apply(&held[i]); err != nil {
			return 0, err
		}
	}
	return (ownCPU() - before) / float64(len(held)), nil
}
