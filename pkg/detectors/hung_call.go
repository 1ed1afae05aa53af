package detectors

import (
	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/state"
)

// HungCall finds a call that never returns: nothing repeats, and nothing ever
// will. It is judged by stored time alone, at the call's own deadline, whatever
// the phase of the ticks.
//
// It speaks to people and leaves the run alone: what waits for its tool reads
// no observation, and a late result is still a result. It stays silent while a
// call is within the timeout that it declared, for a sleep, once the run has
// gone on to a later round, and for calls from before a restart of its worker
// or a halt that was lifted.
type HungCall struct {
	After int `yaml:"after" bound:"1..86400" doc:"seconds without a result at which to speak, for a call that declares no timeout"`
	Grace int `yaml:"grace" bound:"0..86400" doc:"seconds past its timeout at which to speak, for a call that declares one"`
}

// NewHungCall returns the parameters of the default policy.
func NewHungCall() HungCall { return HungCall{After: 900, Grace: 60} }

// Validate reports every parameter out of bounds.
func (d HungCall) Validate() error { return Check(d) }

// Due returns the first deadline of an open call, in milliseconds since 1970,
// that the run's silence was not judged at yet; 0 for none.
func (d HungCall) Due(w state.View) int64 {
	var next int64
	for i := range w.Window.Pending.Len() {
		at := d.deadline(w, w.Window.Pending.Back(i))
		if at > w.SilentMS && (next == 0 || at < next) {
			next = at
		}
	}
	return next
}

// deadline returns when an open call is overdue, 0 for never.
func (d HungCall) deadline(w state.View, p *state.Pending) int64 {
	switch {
	case p.Round < w.Window.Round.Number, p.Dropped:
		return 0
	case p.TimeoutMS > 0:
		return p.StoredMS + min(p.TimeoutMS, maxTimeoutMS) + int64(d.Grace)*1000
	case p.Call.Sleeps:
		return 0
	}
	return p.StoredMS + int64(d.After)*1000
}

// maxTimeoutMS is the longest timeout that is believed: 30 days.
const maxTimeoutMS = 30 * 24 * 3_600_000

// Detect implements Detector. The event is a tick whose stored time is a
// deadline that Due returned.
func (d HungCall) Detect(w state.View, e *events.Event) (Finding, bool) {
	now := e.Stored.UnixMilli()
	for i := range w.Window.Pending.Len() {
		p := w.Window.Pending.Back(i)
		if d.deadline(w, p) != now {
			continue
		}
		return Finding{
			Cause: causeOf(causeOfName("hung_call"), p.Call.Key, p.ID), Weight: Whole, Act: Inform,
			Evidence: Evidence{
				Tool: nameOf(w, p.Call.Tool), Hash: p.Call.Tool, Count: 1, Since: p.Round,
				Events: trail(p.Ref), Calls: []state.Ref{p.Ref},
				What: "has not returned for " + span(now-p.StoredMS) + overdue(p.TimeoutMS),
			},
		}, true
	}
	return Finding{}, false
}

// overdue says what was promised.
func overdue(timeoutMS int64) string {
	if timeoutMS <= 0 {
		return ""
	}
	return ", though its timeout is " + span(min(timeoutMS, maxTimeoutMS))
}
