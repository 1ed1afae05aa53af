package detectors

import (
	"errors"

	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/state"
)

// Words of the parameters count and on.
const (
	CountCalls  = "calls"
	CountRounds = "rounds"
	OnCall      = "call"
	OnResult    = "result"
)

// Repeat finds the same call made again: the same tool with the same folded
// arguments.
//
// On results it fires when the call brings the result it brought before, or
// fails again, and nothing effective happened in between; each such result is
// one futile step, and the occurrence says how many it takes. A user message in
// between leaves half of it, new information of unknown effect two thirds; they
// take nothing from a write that brought the same again. A short
// acknowledgement of something unknown is half a step at most, a call that
// polls a third. A wait in between, or beside the call before, or a polling tool
// called with spacing, leaves nothing of it; nor do new answers of other calls in
// between where the call has no arguments: a status that is looked at beside
// work that goes on. Only the first result of a round counts, and none that comes when a later round has had its own; one of
// a round that is over is the first where another round's came just before. A
// call issued again in a later round, with no other call in between and while
// it has no answer yet, is a futile step too, unless its use is to wait. Where
// changes in between are not looked at, only the same result counts, and whole.
//
// On calls it fires at the occurrence, whatever came back, and offers the
// first result for replay; where rounds are counted, at the first such call of
// a round. Either way it says nothing of a call that memory
// has dropped.
type Repeat struct {
	Occurrence int    `yaml:"occurrence" bound:"2..1000" doc:"occurrence of the same call at which to speak"`
	Window     int    `yaml:"window" bound:"0..64" doc:"how many of the last calls are looked at; 0 for the whole run. Only with on: call"`
	Count      string `yaml:"count" bound:"calls|rounds" doc:"whether equal calls of one round count each, or once"`
	On         string `yaml:"on" bound:"call|result" doc:"whether a call is judged when it is issued, whatever came back before, or when the same result came back"`
	Unchanged  bool   `yaml:"unchanged" doc:"only repeats between which nothing changed count: no effective write; a user message or new information in between takes part of the weight. Only with on: result"`
	PollGap    int    `yaml:"poll_gap_seconds" bound:"0..86400" doc:"seconds between two calls of a polling tool from which on the second is spaced polling, no repeat; 0 for never. Only with on: result"`
}

// NewRepeat returns the parameters of the default policy.
func NewRepeat() Repeat {
	return Repeat{Occurrence: 3, Count: CountRounds, On: OnResult, Unchanged: true, PollGap: 20}
}

// Validate reports every parameter out of bounds, and those that need another
// mode.
func (d Repeat) Validate() error {
	faults := []error{Check(d)}
	if d.On == OnCall && d.Unchanged {
		faults = append(faults, errors.New("unchanged: needs on: result"))
	}
	if d.On == OnResult && d.Window != 0 {
		faults = append(faults, errors.New("window: needs on: call"))
	}
	return errors.Join(faults...)
}

// Detect implements Detector.
func (d Repeat) Detect(w state.View, e *events.Event) (Finding, bool) {
	switch {
	case e.Kind == events.ToolCall && d.On == OnCall:
		return d.issued(w, e)
	case e.Kind == events.ToolCall:
		return d.unanswered(w, e)
	case e.Kind == events.ToolResult && d.On == OnResult:
		return d.answered(w, e)
	}
	return Finding{}, false
}

// answered judges a result against the one its call brought before.
func (d Repeat) answered(w state.View, e *events.Event) (Finding, bool) {
	cur := &w.Cur
	k := w.Window.Keys.Get(cur.Step.Key)
	if cur.Step.Call.IsZero() || k == nil || d.Count == CountRounds && cur.SameRound {
		return Finding{}, false
	}
	weight := d.weight(w, e.Result.Changed != nil && *e.Result.Changed)
	if weight == 0 {
		return Finding{}, false
	}
	n, since, first := int(k.Futile), k.FutileRound, k.FutileFrom
	what := "has been called " + times(n) + " with the same arguments and "
	switch {
	case !d.Unchanged:
		n, since, first = d.issues(k), k.FirstRound, k.First
		what = "has been called " + times(n) + " with the same arguments and brought the answer that it had brought before"
	case k.Same == k.Futile:
		what += "brought the same answer each time; nothing took effect in between"
	default:
		what += "failed each time; nothing took effect in between"
	}
	return Finding{
		Cause: cur.Step.Key, Weight: weight, Need: (d.Occurrence - 1) * Whole,
		Evidence: Evidence{
			Tool: toolOf(w, e), Hash: cur.Call.Tool, Count: n, Since: since,
			Events: trail(first, cur.Prior.LastResult, cur.Step.Call, cur.Ref),
			Calls:  []state.Ref{cur.Step.Call}, Answer: cur.Ref, What: what,
		},
	}, true
}

// weight says how futile the step was, in sixths; 0 means not at all.
func (d Repeat) weight(w state.View, changed bool) int {
	c, s, p := &w.Cur.Call, &w.Cur.Step, &w.Cur.Prior
	same := p.Results > 0 && p.Result == s.Result
	failed := p.Failed && s.Error && d.Unchanged
	switch {
	case !same && !failed, d.Count == CountRounds && s.Round <= p.Answered:
		return 0
	case d.Unchanged && (p.Epoch != s.Epoch || changed):
		return 0
	case d.Unchanged && c.NoArgs && !writes(c.Effect) && same && !s.Error && p.News != w.Window.Memo.News:
		return 0 // a status that is looked at beside work that goes on
	case w.Window.Waited >= p.CallNo: // a wait in between, or the call itself waits
		return 0
	case spaced(w, d.PollGap):
		return 0
	}
	weight := Whole
	switch {
	case !d.Unchanged || same && writes(c.Effect):
	case p.Msgs != w.Window.Msgs:
		weight = Whole / 2
	case p.Soft != w.Window.Soft:
		weight = Whole * 2 / 3
	}
	if same && !s.Error && w.Cur.Result.Short && unknown(c.Effect) {
		weight = min(weight, Whole/2)
	}
	if c.Again {
		weight = min(weight, Whole/3)
	}
	return weight
}
