package detectors_test

import (
	"fmt"
	"time"

	"pgregory.net/rapid"

	"github.com/loopwatch/loopwatch/pkg/events"
)

// history is a second, naive reading of what the documentation says of the
// plainest detectors: the whole run in a slice, looked through from end to end
// for every question. It knows only the few tools and answers of plainRun.
type history []events.Event

// The tools of a plain run and what they are declared to do; zorp is not
// declared, and sleep waits.
var plainTools = []events.Tool{
	{Name: "r", Effect: events.EffectRead}, {Name: "w", Effect: events.EffectWrite}, {Name: "p", Effect: events.EffectRead, Polls: true},
}

const shortAnswer = `"ok"`

var plainAnswers = []string{
	shortAnswer, `"the first of two answers, long enough that nobody takes it for an acknowledgement"`,
	`"the second of two answers, long enough that nobody takes it for an acknowledgement"`,
}

// plainRun draws a run of few calls with few answers: they come late, not at
// all, or replayed; the last rounds go round again; the user speaks, time
// passes.
func plainRun(t *rapid.T) history {
	x := &plain{t: t, now: time.Date(2026, 1, 1, 9, 0, 0, 0, time.UTC)}
	x.tell(events.Event{Kind: events.RunStart, Start: &events.Start{Tools: plainTools}})
	for range rapid.IntRange(1, 15).Draw(t, "passages") {
		switch x.pick("round", "round", "round", "round", "again", "again", "text", "user", "time") {
		case "round":
			x.told = append(x.told, x.draw())
			x.round(x.told[len(x.told)-1])
		case "again":
			lap := x.told[len(x.told)-min(len(x.told), rapid.IntRange(1, 4).Draw(t, "of")):]
			for range rapid.IntRange(1, 3).Draw(t, "laps") {
				for _, calls := range lap {
					x.round(calls)
				}
			}
		case "text":
			x.n++
			x.tell(events.Event{Kind: events.TurnKind, Round: x.n, Turn: &events.Turn{}})
		case "user":
			x.tell(events.Event{Kind: events.Said, Message: &events.Message{Role: "user", Text: "go on"}})
		case "time":
			x.now = x.now.Add(rapid.SampledFrom([]time.Duration{5 * time.Second, 30 * time.Second}).Draw(t, "time"))
		}
	}
	return x.out
}

// plain tells a plain run.
type plain struct {
	t    *rapid.T
	now  time.Time
	n    int            // the round
	told [][]plainCall  // rounds drawn so far
	open []events.Event // results to come in a later round
	out  history
}

// plainCall is a call with what becomes of it.
type plainCall struct {
	tool, args, fate string
	result           events.Result
}

func (x *plain) pick(from ...string) string { return rapid.SampledFrom(from).Draw(x.t, "pick") }

func (x *plain) tell(e events.Event) {
	x.now = x.now.Add(time.Second)
	n := uint64(len(x.out) + 1)
	e.V, e.ID, e.StreamSeq, e.Seq = 1, fmt.Sprint("e", n), n, n
	e.Tenant, e.Agent, e.Task, e.Run, e.Time, e.Stored = "default", "agent", "t1", "r1", x.now, x.now
	x.out = append(x.out, e)
}

// draw draws the calls of a round.
func (x *plain) draw() []plainCall {
	calls := make([]plainCall, rapid.SampledFrom([]int{1, 1, 1, 2}).Draw(x.t, "parallel"))
	for i := range calls {
		c := &calls[i]
		c.tool, c.args = x.pick("r", "r", "w", "p", "zorp", "sleep"), x.pick(`{"n":3}`, `{"n":3}`, `{"n":4}`)
		c.fate = x.pick("now", "now", "now", "now", "now", "now", "news", "later", "never")
		c.result.Content = events.RawJSON(x.pick(plainAnswers...))
		switch yes := true; x.pick("answer", "answer", "answer", "answer", "error", "weather", "changed", "unchanged", "replayed") {
		case "error":
			c.result.Content, c.result.Error = nil, &events.Error{Message: x.pick("no such order", "the field is missing here")}
		case "weather":
			c.result.Content, c.result.Error = nil, &events.Error{Message: "503 Service Unavailable"}
		case "unchanged":
			yes = false
			fallthrough
		case "changed":
			c.result.Changed = &yes
		case "replayed":
			c.result.Replayed = true
		}
	}
	return calls
}

// round tells calls in a round of their own, then what came back, and what is
// still to come of earlier rounds.
func (x *plain) round(calls []plainCall) {
	x.n++
	for i, c := range calls {
		x.tell(events.Event{Kind: events.ToolCall, Round: x.n, Call: &events.Call{
			ID: fmt.Sprintf("c%d-%d", x.n, i), Tool: c.tool, Args: events.RawJSON(c.args),
		}})
	}
	late := x.open
	x.open = nil
	for i, c := range calls {
		res := c.result
		res.CallID = fmt.Sprintf("c%d-%d", x.n, i)
		if c.fate == "news" && res.Error == nil {
			res.Content = events.RawJSON(fmt.Sprintf(`{"progress":%d}`, len(x.out)))
		}
		e := events.Event{Kind: events.ToolResult, Round: x.n, Result: &res}
		switch c.fate {
		case "later":
			x.open = append(x.open, e)
		case "now", "news":
			x.tell(e)
		}
	}
	for _, e := range late {
		x.tell(e)
	}
}

// key says which call an event is.
func (h history) key(i int) string { return h[i].Call.Tool + string(h[i].Call.Args) }

// call returns the place of the call that the result at i answers, -1 where i
// is no result.
func (h history) call(i int) int {
	if h[i].Kind != events.ToolResult {
		return -1
	}
	for j := range i {
		if h[j].Kind == events.ToolCall && h[j].Call.ID == h[i].Result.CallID {
			return j
		}
	}
	return -1
}

// evidence reports whether i is a result that is looked at: neither replayed
// nor infrastructure weather.
func (h history) evidence(i int) bool {
	return h.call(i) >= 0 && !h[i].Result.Replayed && !h.weather(i)
}

func (h history) weather(i int) bool {
	return h[i].Kind == events.ToolResult && h[i].Result.Error != nil && h[i].Result.Error.Message == "503 Service Unavailable"
}

func (h history) failed(i int) bool { return h[i].Result.Error != nil }

// says is what came back, as text.
func (h history) says(i int) string {
	if h.failed(i) {
		return "error " + h[i].Result.Error.Message
	}
	return string(h[i].Result.Content)
}

func (h history) effect(call int) events.Effect {
	for _, t := range plainTools {
		if t.Name == h[call].Call.Tool {
			return t.Effect
		}
	}
	return events.EffectUnknown
}

// before returns the newest result before i of the same call that is looked at.
func (h history) before(i int) int {
	for j := i - 1; j >= 0; j-- {
		if h.evidence(j) && h.key(h.call(j)) == h.key(h.call(i)) {
			return j
		}
	}
	return -1
}

// effective reports whether the result at i is an effective change: its tool
// says so, or it is a write that succeeded and did not bring what it brought
// before.
func (h history) effective(i int) bool {
	switch {
	case !h.evidence(i):
		return false
	case h[i].Result.Changed != nil:
		return *h[i].Result.Changed
	}
	b := h.before(i)
	return h.effect(h.call(i)) == events.EffectWrite && !h.failed(i) && (b < 0 || h.says(b) != h.says(i))
}

// any reports whether something is true of a place between two others.
func (h history) any(after, before int, is func(int) bool) bool {
	for j := after + 1; j < before; j++ {
		if is(j) {
			return true
		}
	}
	return false
}

func (h history) user(i int) bool { return h[i].Kind == events.Said && h[i].Message.Role == "user" }

// waited reports whether the result at i ends a wait.
func (h history) waited(i int) bool { return h.evidence(i) && h[h.call(i)].Call.Tool == "sleep" }

// news reports whether the result at i is a call's first success of unknown
// effect.
func (h history) news(i int) bool {
	return h.evidence(i) && h.before(i) < 0 && !h.failed(i) && h.effect(h.call(i)) == events.EffectUnknown && !h.effective(i)
}

// secondOfRound reports whether the round of the result at i has had another
// result: any before it in the round under way, the one just before it in a
// round that is over.
func (h history) secondOfRound(i int) bool {
	round := h[h.call(i)].Round
	late := h.any(h.call(i), i, func(j int) bool { return h[j].Round > round })
	for j := i - 1; j >= 0; j-- {
		if c := h.call(j); c >= 0 && (late || h[c].Round == round) {
			return h[c].Round == round
		}
	}
	return false
}
