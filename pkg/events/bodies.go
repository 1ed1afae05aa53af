package events

import (
	"cmp"
	"fmt"
	"strconv"
	"time"
)

// checkBody checks the body that the kind names; the others are not looked at.
func (e *Event) checkBody() *Reject {
	switch e.Kind {
	case RunStart:
		return present("start", e.Start, (*Start).check)
	case TurnKind:
		return present("turn", e.Turn, (*Turn).check)
	case ToolCall:
		return present("call", e.Call, (*Call).check)
	case ToolResult:
		return present("result", e.Result, (*Result).check)
	case Said:
		return present("message", e.Message, (*Message).check)
	case RunEnd:
		return present("end", e.End, (*End).check)
	case ControlAck:
		return present("ack", e.Ack, (*Ack).check)
	case OperatorAct:
		return present("operator", e.Operator, (*Operator).check)
	case PolicyChange:
		return present("policy", e.Policy, (*Policy).check)
	}
	return nil
}

func present[T any](field string, body *T, check func(*T) *Reject) *Reject {
	if body == nil {
		return missing(field)
	}
	return check(body)
}

func (s *Start) check() *Reject {
	for i := range s.Tools {
		t := &s.Tools[i]
		if t.Name != "" && len(t.Name) <= MaxID && t.Effect.known() {
			continue
		}
		field := fmt.Sprintf("start.tools[%d]", i)
		return cmp.Or(need(field+".name", t.Name, MaxID), bad(field+".effect", "want read, write or unknown"))
	}
	return cmp.Or(small("start.attempt", s.Attempt), s.Limits.check("start.limits"))
}

func (l *Limits) check(field string) *Reject {
	if *l == (Limits{}) {
		return nil // before the names of fields are put together
	}
	return cmp.Or(
		small(field+".max_turns", l.MaxTurns),
		amount(field+".max_cost_usd", l.MaxCostUSD),
		count(field+".max_wall_clock_ms", l.MaxWallClockMS),
		count(field+".max_tokens", l.MaxTokens))
}

func (t *Turn) check() *Reject {
	var rej *Reject
	if u := t.Usage; u != nil {
		rej = cmp.Or(
			count("turn.usage.input_tokens", u.InputTokens),
			count("turn.usage.output_tokens", u.OutputTokens),
			count("turn.usage.cached_tokens", u.CachedTokens))
	}
	if t.CostUSD != nil {
		rej = cmp.Or(rej, amount("turn.cost_usd", *t.CostUSD))
	}
	if t.StepsCompleted != nil {
		rej = cmp.Or(rej, small("turn.steps_completed", *t.StepsCompleted))
	}
	return rej
}

func (c *Call) check() *Reject {
	return cmp.Or(need("call.id", c.ID, MaxID), need("call.tool", c.Tool, MaxID), count("call.timeout_ms", c.TimeoutMS))
}

func (r *Result) check() *Reject {
	return cmp.Or(need("result.call_id", r.CallID, MaxID), within("result.tool", r.Tool, MaxID),
		count("result.duration_ms", r.DurationMS))
}

func (m *Message) check() *Reject { return need("message.role", m.Role, MaxID) }

func (e *End) check() *Reject {
	if e.Status == "" {
		return missing("end.status")
	}
	if !e.Status.known() {
		return bad("end.status", "want done, blocked, failed, halted, stuck or cancelled")
	}
	return nil
}

func (a *Ack) check() *Reject {
	if rej := need("ack.control", a.Control, MaxID); rej != nil {
		return rej
	}
	if a.Outcome == "" {
		return missing("ack.outcome")
	}
	if !a.Outcome.known() {
		return bad("ack.outcome", "want applied, ignored, expired, rejected or failed")
	}
	return nil
}

func (o *Operator) check() *Reject {
	switch o.Action {
	case "halt", "resume":
	case "":
		return missing("operator.action")
	default:
		return bad("operator.action", "want halt or resume")
	}
	if o.For != "" {
		if d, err := time.ParseDuration(o.For); err != nil || d <= 0 {
			return bad("operator.for", "want a duration above zero, as in 2h")
		}
	}
	return cmp.Or(o.Scope.check("operator.scope"), o.Add.check("operator.add"))
}

func (s *Scope) check(field string) *Reject {
	names := [...]struct{ field, name string }{{".tenant", s.Tenant}, {".agent", s.Agent}, {".task", s.Task}, {".run", s.Run}}
	for _, n := range names {
		if n.name == "" {
			continue
		}
		if rej := checkName(field+n.field, n.name); rej != nil {
			return rej
		}
	}
	return nil
}

func (p *Policy) check() *Reject {
	return cmp.Or(need("policy.name", p.Name, MaxID), need("policy.digest", p.Digest, MaxID), need("policy.yaml", p.YAML, MaxNumber))
}

// need asks for 1 to limit bytes.
func need(field, s string, limit int) *Reject {
	if s == "" {
		return missing(field)
	}
	return within(field, s, limit)
}

func within(field, s string, limit int) *Reject {
	if len(s) <= limit {
		return nil
	}
	return bad(field, "want at most "+strconv.Itoa(limit)+" bytes")
}

func small(field string, n int) *Reject {
	if n >= 0 && n <= MaxRound {
		return nil
	}
	return bad(field, "want 0 to "+strconv.Itoa(MaxRound))
}

func count(field string, n int64) *Reject {
	if n >= 0 && n <= MaxNumber {
		return nil
	}
	return bad(field, "want 0 to "+strconv.Itoa(MaxNumber))
}

func amount(field string, usd float64) *Reject {
	if usd >= 0 && usd <= MaxAmount { // false for NaN
		return nil
	}
	return bad(field, "want 0 to "+strconv.FormatFloat(MaxAmount, 'f', -1, 64))
}
