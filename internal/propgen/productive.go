package propgen

import (
	"fmt"

	"pgregory.net/rapid"

	"github.com/loopwatch/loopwatch/pkg/events"
)

// Productive draws one run whose every result is new and changed the world: its
// tool says so, or it is declared to write. The calls may well be the same.
// Where wordy, its turns say the same things, too.
func Productive(t *rapid.T, wordy bool) []events.Event {
	s := &teller{t: t, tools: append(names(Declared), Undeclared...), now: Begin, runs: map[string]*storyRun{}}
	r := s.run("t1/a")
	for range rapid.IntRange(1, 60).Draw(t, "rounds") {
		r.round++
		if wordy {
			s.tell(r, events.Event{Kind: events.TurnKind, Round: r.round, Turn: &events.Turn{Text: pick(t, "text", storyTexts...)}})
		}
		n := pick(t, "parallel", 1, 1, 2)
		for i := range n {
			s.tell(r, events.Event{Kind: events.ToolCall, Round: r.round, Call: &events.Call{
				ID: fmt.Sprint("c", i), Tool: pick(t, "tool", s.tools...), Args: raw(pick(t, "args", storyArgs...)),
			}})
		}
		for i := range n {
			call := s.out[len(s.out)-n].Call
			res := events.Result{CallID: fmt.Sprint("c", i), Content: events.RawJSON(fmt.Sprintf(`{"made":%d}`, len(s.out)))}
			if call.Tool != "get_order" && call.Tool != "frob" || chance(t, 2) {
				yes := true
				res.Changed = &yes
			}
			s.tell(r, events.Event{Kind: events.ToolResult, Round: r.round, Result: &res})
		}
	}
	return s.out
}
