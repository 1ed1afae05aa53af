package oracle_test

import (
	"fmt"

	"pgregory.net/rapid"

	"github.com/loopwatch/loopwatch/internal/propgen"
	"github.com/loopwatch/loopwatch/pkg/events"
)

func pick[V any](t *rapid.T, label string, from ...V) V {
	return rapid.SampledFrom(from).Draw(t, label)
}

// stories are propgen's with the records, questions and costs that those leave
// out, and without an answer that is a failure to some and none to others.
func stories(t *rapid.T) []events.Event {
	seq := propgen.Stories(t)
	for i, e := range seq {
		if e.Result != nil && string(e.Result.Content) == `"not found"` {
			res := *e.Result
			res.Content = events.RawJSON(`"seven"`)
			seq[i].Result = &res
		}
		if e.Kind != events.TurnKind {
			continue
		}
		turn := *e.Turn
		switch pick(t, "record", "none", "asks", "known", "state", "steps", "cost") {
		case "asks":
			turn.Asks = pick(t, "asks", []string{"a"}, []string{"b"}, []string{"b", "a"})
		case "known":
			turn.Known = pick(t, "known", events.Names{"a"}, events.Names{"a", "b"})
		case "state":
			turn.StateHash, turn.State = "", events.RawJSON(pick(t, "state", `{"a":1}`, `{"a":1.0}`, `{"a":2}`))
		case "steps":
			n := pick(t, "steps", 1, 2)
			turn.StepsCompleted = &n
		case "cost":
			usd := pick(t, "usd", 0.5, 2)
			turn.CostUSD = &usd
		}
		seq[i].Turn = &turn
	}
	return seq
}

// operated puts operators' acts between the events, where no answer is due.
func operated(t *rapid.T, seq []events.Event) (out []events.Event) {
	for i, e := range seq {
		out = append(out, e)
		if e.Kind == events.ToolCall || i+1 < len(seq) && seq[i+1].Kind == events.ToolResult || pick(t, "act", 0, 0, 0, 0, 0, 0, 0, 0, 0, 1) == 0 {
			continue
		}
		o := events.Operator{Action: pick(t, "action", "halt", "resume", "resume"), Note: pick(t, "note", "", "mind the gap")}
		switch pick(t, "scope", "run", "run", "run", "task", "all") {
		case "run":
			o.Scope = events.Scope{Tenant: e.Tenant, Task: e.Task, Run: e.Run}
		case "task":
			o.Scope = events.Scope{Tenant: e.Tenant, Task: e.Task}
		}
		out = append(out, events.Event{V: 1, ID: fmt.Sprint("act-", i), Kind: events.OperatorAct, Time: e.Time, Stored: e.Stored, Operator: &o})
	}
	return placed(out)
}

// disturbed delivers events twice, not at all or, where late, later than they
// belong; what comes later says the time at which it comes.
func disturbed(t *rapid.T, seq []events.Event, late bool) (out []events.Event) {
	var held []events.Event
	for _, e := range seq {
		switch pick(t, "fate", "", "", "", "", "", "", "twice", "later", "lost") {
		case "twice":
			out = append(out, e, e)
		case "later":
			if late {
				held = append(held, e)
				continue
			}
			out = append(out, e)
		case "lost":
			continue
		default:
			out = append(out, e)
		}
		if len(held) > 0 && pick(t, "now", false, true) {
			out, held = append(out, held[0]), held[1:]
		}
	}
	return placed(append(out, held...))
}

// placed numbers stream positions anew; what is stored later is stored no
// earlier.
func placed(seq []events.Event) []events.Event {
	for i := range seq {
		seq[i].StreamSeq = uint64(i + 1)
		if i > 0 && seq[i].Stored.Before(seq[i-1].Stored) {
			seq[i].Time, seq[i].Stored = seq[i-1].Stored, seq[i-1].Stored
		}
	}
	return seq
}
