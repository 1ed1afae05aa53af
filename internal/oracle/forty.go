package oracle

import (
	"regexp"
	"slices"
	"time"

	"github.com/loopwatch/loopwatch/pkg/events"
)

// The ceilings of forty-times.
const (
	mostTurns = 40
	mostUSD   = 5
	mostClock = 30 * time.Minute
)

// forty halts on the same call three times among the last six, on five turns
// without effect and without a result not seen before, and on its ceilings.
func (r *run) forty(e events.Event) (found []finding) {
	if e.Kind == events.ToolCall {
		all := r.signatures()
		last := all[len(all)-1]
		if count(all[max(0, len(all)-6):], last) >= 3 {
			found = append(found, finding{detector: "repeat", cause: last, rungs: []string{halting}})
		}
	}
	if r.quiet() >= 5 {
		found = append(found, finding{detector: "stagnation", cause: "stagnation", rungs: []string{halting}})
	}
	if bound := r.spent(); bound != "" && (e.Kind != events.ToolResult || !stormy(e.Result)) {
		found = append(found, finding{detector: "budget", cause: bound, rungs: []string{halting}, first: 3})
	}
	return found
}

// turn is a round with what came of it.
type turn struct {
	round                 int
	open                  []string // calls without an answer
	calls                 int
	effect, news, weather bool
}

// quiet counts the last turns in a row that were over and brought nothing. A
// turn is over when all its calls are answered, or the next one opens.
func (r *run) quiet() (n int) {
	turns := r.turns()
	for i, t := range slices.Backward(turns) {
		switch {
		case i == len(turns)-1 && (t.calls == 0 || len(t.open) > 0):
		case t.effect || t.news:
			return n
		case t.weather:
		default:
			n++
		}
	}
	return n
}

func (r *run) turns() (turns []*turn) {
	writes, seen := r.declared(), map[string]bool{}
	tools := map[string]string{}
	for _, e := range r.counted() {
		switch {
		case e.Round == 0:
			continue
		case len(turns) == 0 || e.Round > turns[len(turns)-1].round:
			turns = append(turns, &turn{round: e.Round})
		}
		i := slices.IndexFunc(turns, func(t *turn) bool { return t.round == e.Round })
		if i < 0 {
			continue
		}
		t := turns[i]
		switch e.Kind {
		case events.ToolCall:
			t.calls++
			t.open = append(t.open, e.Call.ID)
			tools[e.Call.ID] = e.Call.Tool
		case events.ToolResult:
			at := slices.Index(t.open, e.Result.CallID)
			if e.Result.Replayed || at < 0 {
				continue
			}
			t.open = slices.Delete(t.open, at, at+1)
			t.answered(r.task.p.preset, e.Result, writes[tools[e.Result.CallID]], seen)
		}
	}
	return turns
}

func (t *turn) answered(preset string, res *events.Result, writes bool, seen map[string]bool) {
	if stormy(res) {
		t.weather = true
		return
	}
	says := answer(preset, res)
	t.news = t.news || !seen[says] && says != `""` // nothing is no information
	seen[says] = true
	switch {
	case res.Changed != nil:
		t.effect = t.effect || *res.Changed
	case writes && res.Error == nil:
		t.effect = true
	}
}

// declared are the tools that the run says write.
func (r *run) declared() map[string]bool {
	out := map[string]bool{}
	for _, e := range r.said {
		if e.Kind != events.RunStart {
			continue
		}
		for _, tool := range e.Start.Tools {
			out[tool.Name] = tool.Effect == events.EffectWrite
		}
	}
	return out
}

var storm = regexp.MustCompile(`(?i)\b(429|502|503|504)\b|timed? ?out|rate limit|service unavailable|overloaded`)

// stormy reports infrastructure weather: it says nothing of the run.
func stormy(res *events.Result) bool {
	return res.Error != nil && (res.Error.Retryable || storm.MatchString(res.Error.Message) || storm.MatchString(res.Error.Code))
}
