package detectors

import (
	"errors"
	"fmt"

	"github.com/loopwatch/loopwatch/internal/features"
	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/state"
)

// Cycle finds a sequence of different calls that goes round: the last laps of
// some period are equal. Where the cycle is entered does not matter for its
// cause, and the shortest period speaks.
//
// On results one round is one entry, with its calls and what they brought, in
// any order; a round that brought nothing is none. It is told when the last
// result of a round that completes a lap counts, or when the next round begins;
// a change of answers ends the cycle, whatever took effect. It is silent when a
// wait or a user message fell into the last lap, or when the polling tool that
// completes it was called poll_gap_seconds after its call before. On calls each
// call is one entry, whatever came back. The same call over and over is no
// cycle, nor is what goes round in fewer than the shortest.
type Cycle struct {
	Shortest int    `yaml:"shortest" bound:"2..8" doc:"fewest calls of a cycle"`
	Longest  int    `yaml:"longest" bound:"2..8" doc:"most calls of a cycle"`
	Laps     int    `yaml:"laps" bound:"2..8" doc:"complete laps, the first included, at which to speak"`
	On       string `yaml:"on" bound:"call|result" doc:"whether equal calls make a lap, or rounds with equal calls and equal results"`
	PollGap  int    `yaml:"poll_gap_seconds" bound:"0..86400" doc:"seconds a lap must take for the cycle of a polling tool to be spaced polling; 0 for never. Only with on: result"`
}

// NewCycle returns the parameters of the default policy.
func NewCycle() Cycle { return Cycle{Shortest: 2, Longest: 8, Laps: 2, On: OnResult, PollGap: 20} }

// Validate reports every parameter out of bounds.
func (d Cycle) Validate() error {
	faults := []error{Check(d)}
	if d.Longest < d.Shortest {
		faults = append(faults, fmt.Errorf("longest: %d is below shortest, %d", d.Longest, d.Shortest))
	}
	return errors.Join(faults...)
}

// Detect implements Detector.
func (d Cycle) Detect(w state.View, e *events.Event) (Finding, bool) {
	c, entries := &w.Window.Cycles, "calls"
	switch {
	case d.On == OnCall && e.Kind != events.ToolCall, d.On == OnResult && !w.Cur.Lap:
		return Finding{}, false
	case d.On == OnResult:
		c, entries = &w.Window.Laps, "rounds"
	}
	period := c.Period(d.Shortest, d.Longest, d.Laps)
	if period == 0 {
		return Finding{}, false
	}
	lap := c.Items.Back(period - 1).Ref
	if d.On == OnResult && d.patient(w, lap) {
		return Finding{}, false
	}
	laps := int(c.Match[period])/period + 1
	what := fmt.Sprintf("is part of a cycle of %d %s that has gone round %s", period, entries, times(laps))
	if d.On == OnResult {
		what += " with the same answers"
	}
	first := c.Items.Back(period*d.Laps - 1).Ref
	calls, since := callsFrom(w, lap, first)
	f := Finding{
		Cause: c.Cause(period), Weight: Whole,
		Evidence: Evidence{
			Count: laps, Since: since, Events: trail(append([]state.Ref{first}, append(refs(calls), w.Cur.Ref)...)...),
			Calls: refs(calls), What: what,
		},
	}
	d.name(&f.Evidence, w, e, calls)
	return f, true
}

// patient reports whether the last lap, which began at from, was waited for,
// spaced, or steered by the user.
func (d Cycle) patient(w state.View, from state.Ref) bool {
	win := &w.Window
	if win.Heard.Seq > from.Seq {
		return true
	}
	n := uint32(0)
	for i := 0; i < win.Calls.Len() && win.Calls.Back(i).Call.Seq >= from.Seq; i++ {
		n++
	}
	if win.Waited > 0 && win.CallNo-win.Waited < n {
		return true
	}
	return spaced(w, d.PollGap)
}

// name says which call the finding is about: the event's, or the newest where
// the event has none.
func (d Cycle) name(x *Evidence, w state.View, e *events.Event, calls []state.Issued) {
	x.Answer = w.Cur.Step.Answer
	if x.Answer.IsZero() && w.Window.Steps.Len() > 0 {
		x.Answer = w.Window.Steps.Back(0).Answer
	}
	x.Tool, x.Hash = toolOf(w, e), w.Cur.Call.Tool
	if n := len(calls); n > 0 && (d.On == OnResult || x.Hash == 0) {
		x.Hash = calls[n-1].Tool
		x.Tool = nameOf(w, x.Hash)
	}
}

// callsFrom lists the distinct calls issued from one event on, oldest first,
// at most state.MaxPeriod, and the round in which those from another event on
// began.
func callsFrom(w state.View, lap, first state.Ref) (calls []state.Issued, since int) {
	ring := &w.Window.Calls
	seen := map[features.Hash]bool{}
	since = w.Cur.Round
	at := 0
	for at < ring.Len() && ring.Back(at).Call.Seq >= first.Seq {
		since = ring.Back(at).Round
		at++
	}
	for i := at - 1; i >= 0; i-- {
		c := *ring.Back(i)
		if c.Call.Seq >= lap.Seq && !seen[c.Key] && len(calls) < state.MaxPeriod {
			seen[c.Key] = true
			calls = append(calls, c)
		}
	}
	return calls, since
}

// refs returns where the calls are.
func refs(calls []state.Issued) []state.Ref {
	out := make([]state.Ref, len(calls))
	for i, c := range calls {
		out[i] = c.Call
	}
	return out
}
