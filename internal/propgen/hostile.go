package propgen

import (
	"fmt"
	"math"
	"strings"
	"time"

	"pgregory.net/rapid"

	"github.com/loopwatch/loopwatch/pkg/events"
)

// Begin is when every sequence begins.
var Begin = time.Date(2026, 1, 1, 9, 0, 0, 0, time.UTC)

var (
	hostileTexts = []string{
		"", "a", "\x00", "\n\n", "no such file", "503 Service Unavailable", "ok", "\ufffd\u202e\u0301", `{"a":"{\"b\":[1]}"}`,
		strings.Repeat("the same eight words again and again here ", 60), strings.Repeat("🙂", 400), strings.Repeat("(", 5000),
	}
	hostileJSON = []string{
		"", "null", "{}", "[]", `""`, "0", "-0.0e-9", "1e999", "true", `{"":{"":null}}`, `"\u0000\ud83d\ude00"`,
		`{"command":"sleep 1; git checkout -- x && cat > f <<'E'\nx\nE"}`, `{"command":"'\"$((("}`, `{"$h":"00"}`,
		`{"a":"{\"a\":\"{\\\"a\\\":1}\"}"}`, strings.Repeat("[", 300) + strings.Repeat("]", 300),
		strings.Repeat(`{"a":`, 100) + "1" + strings.Repeat("}", 100), `[` + strings.Repeat("1,", 3000) + `1]`,
	}
	hostileTimes = []time.Duration{
		0, time.Second, -time.Second, time.Hour, -time.Hour, 30 * time.Hour, 100 * time.Hour, -60 * 365 * 24 * time.Hour,
		200 * 365 * 24 * time.Hour, -290 * 365 * 24 * time.Hour,
	}
	hostileRounds = []int{1, 2, 3, 4, 5, 1 << 20, events.MaxRound}
	hostileSeqs   = []uint64{1, 2, 3, 4, 1 << 32, events.MaxNumber}
	hostileNumber = []int64{0, 1, 1000, events.MaxNumber}
)

// Hostile draws a sequence of events of every kind in stream order, each of
// which passes Validate: unknown runs, events after the end, results nobody
// called for, parents in rings, rounds and times that jump, the same id again.
func Hostile(t *rapid.T) []events.Event {
	h := &hostile{t: t}
	n := rapid.IntRange(1, 40).Draw(t, "events")
	for range n {
		h.add()
	}
	return h.out
}

type hostile struct {
	t   *rapid.T
	seq uint64
	out []events.Event
}

func pick[V any](t *rapid.T, label string, from ...V) V {
	return rapid.SampledFrom(from).Draw(t, label)
}

// chance is true in one of n draws.
func chance(t *rapid.T, n int) bool { return rapid.IntRange(1, n).Draw(t, "chance") == n }

func (h *hostile) add() {
	t := h.t
	h.seq += uint64(pick(t, "gap", 1, 1, 1, 7))
	if len(h.out) > 0 && chance(t, 8) {
		e := pick(t, "again", h.out...)
		e.StreamSeq = h.seq
		h.out = append(h.out, e)
		return
	}
	e := events.Event{
		V: events.Version, ID: fmt.Sprintf("e%d", h.seq), StreamSeq: h.seq,
		Time: Begin.Add(pick(t, "time", hostileTimes...)), Stored: Begin.Add(pick(t, "stored", hostileTimes...)),
		Kind: pick(t, "kind", events.RunStart, events.TurnKind, events.ToolCall, events.ToolCall, events.ToolCall, events.ToolResult,
			events.ToolResult, events.ToolResult, events.Said, events.RunEnd, events.ControlAck, events.Tick, events.OperatorAct, events.PolicyChange),
	}
	if !e.Kind.Ours() {
		h.identify(&e)
	}
	h.body(&e)
	h.out = append(h.out, e)
}

func (h *hostile) identify(e *events.Event) {
	t := h.t
	e.Tenant, e.Agent = pick(t, "tenant", "default", "default", "=2E"), pick(t, "agent", "agent", "a-2")
	e.Task, e.Run = pick(t, "task", "t1", "t1", "t2"), pick(t, "run", "r1", "r1", "r2", "r3")
	if p := pick(t, "parent", "", "", "r1", "r2", "r3", "nobody"); p != e.Run {
		e.Parent = p
	}
	e.Seq = pick(t, "seq", hostileSeqs...)
	if chance(t, 2) {
		e.Seq = h.seq
	}
	e.Origin = pick(t, "origin", "", "", events.FromAgent, events.FromAgent, events.FromLoopwatch)
	if e.Kind.InRound() {
		e.Round = pick(t, "round", hostileRounds...)
	}
}

func (h *hostile) text() string {
	if chance(h.t, 3) {
		return strings.ToValidUTF8(rapid.StringN(0, 60, -1).Draw(h.t, "text"), "?")
	}
	return pick(h.t, "text", hostileTexts...)
}

func (h *hostile) json() events.RawJSON { return raw(pick(h.t, "json", hostileJSON...)) }

// raw is JSON text as Decode gives it: none where there is none.
func raw(s string) events.RawJSON {
	if s == "" {
		return nil
	}
	return events.RawJSON(s)
}

func (h *hostile) limits() events.Limits {
	t := h.t
	return events.Limits{
		MaxTurns: pick(t, "turns", 0, 0, 1, 3, events.MaxRound), MaxCostUSD: pick(t, "usd", 0, 0, 0.5, events.MaxAmount),
		MaxWallClockMS: pick(t, "ms", hostileNumber...), MaxTokens: pick(t, "tokens", hostileNumber...),
	}
}

func (h *hostile) body(e *events.Event) {
	t := h.t
	id := pick(t, "call", "c1", "c2", "c3", strings.Repeat("\n", events.MaxID))
	tool := pick(t, "tool", "a", "b", "bash", "get_status", "sleep", "think", strings.Repeat("__", 120))
	switch e.Kind {
	case events.RunStart:
		e.Start = &events.Start{Attempt: pick(t, "attempt", 0, 1, events.MaxRound), Limits: h.limits(), Goal: h.text()}
		for range rapid.IntRange(0, 3).Draw(t, "tools") {
			e.Start.Tools = append(e.Start.Tools, events.Tool{
				Name: tool, Effect: pick(t, "effect", "", events.EffectRead, events.EffectWrite, events.EffectUnknown), Polls: chance(t, 4),
			})
		}
	case events.TurnKind:
		e.Turn = h.turn()
	case events.ToolCall:
		e.Call = &events.Call{ID: id, Tool: tool, Args: h.json(), TimeoutMS: pick(t, "timeout", hostileNumber...)}
		if chance(t, 4) {
			e.Call.RawArgs = h.text()
		}
	case events.ToolResult:
		e.Result = &events.Result{
			CallID: id, Tool: pick(t, "named", "", tool), Content: h.json(), ContentSHA: pick(t, "sha", "", "00"), Truncated: chance(t, 4),
			DurationMS: pick(t, "duration", hostileNumber...), Replayed: chance(t, 6),
		}
		if chance(t, 3) {
			e.Result.Error = &events.Error{Message: h.text(), Code: pick(t, "code", "", "ENOENT", "429"), Retryable: chance(t, 2)}
		}
		if chance(t, 3) {
			changed := chance(t, 2)
			e.Result.Changed = &changed
		}
	default:
		h.rest(e)
	}
}

func (h *hostile) turn() *events.Turn {
	t := h.t
	turn := &events.Turn{Text: h.text(), State: h.json(), StateHash: pick(t, "hash", "", "x", "y"), Compacted: chance(t, 3)}
	if chance(t, 2) {
		usd := pick(t, "cost", 0, 0.1, events.MaxAmount, math.SmallestNonzeroFloat64)
		turn.CostUSD = &usd
		turn.Usage = &events.Usage{InputTokens: pick(t, "in", hostileNumber...), OutputTokens: pick(t, "out", hostileNumber...)}
	}
	if chance(t, 2) {
		steps := pick(t, "steps", 0, 1, events.MaxRound)
		turn.StepsCompleted = &steps
		turn.Known, turn.Asks = events.Names{"a", "", "a"}, []string{"a", "b", ""}
	}
	return turn
}

// rest are the kinds that carry no step of the run.
func (h *hostile) rest(e *events.Event) {
	t := h.t
	switch e.Kind {
	case events.Said:
		e.Message = &events.Message{Role: pick(t, "role", "user", "assistant", "x"), To: pick(t, "to", "", "r1", "r2"), Text: h.text()}
	case events.RunEnd:
		e.End = &events.End{Status: pick(t, "status", events.Done, events.Blocked, events.Failed, events.Halted, events.Stuck, events.Cancelled)}
	case events.ControlAck:
		e.Ack = &events.Ack{Control: pick(t, "control", "ctl_x", "ctl_y"), Outcome: pick(t, "outcome", events.Applied, events.Expired)}
	case events.OperatorAct:
		e.Operator = &events.Operator{
			Action: pick(t, "action", "halt", "resume"), For: pick(t, "for", "", "1ms", "2h", "2540400h"), Add: h.limits(), Note: h.text(), Reason: h.text(),
			Scope: events.Scope{
				Tenant: pick(t, "of", "", "default"), Agent: pick(t, "agents", "", "", "agent"),
				Task: pick(t, "tasks", "", "t1"), Run: pick(t, "runs", "", "", "r1"),
			},
		}
	case events.PolicyChange:
		yaml := pick(t, "policy", "name: p\nextends: sundry\n", "name: p\nextends: default\nmemory: 16\n", "name: p\nextends: forty-times\n", "\x00: [")
		e.Policy = &events.Policy{Name: "p", Digest: "d", YAML: yaml}
	}
}
