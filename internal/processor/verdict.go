package processor

import (
	"bytes"
	"context"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/state"
)

// verdict answers the check that came with an event, on the subject built from
// the event's own identity. After the deadline nobody waits any more.
func (p *Processor) verdict(ctx context.Context, w *work, now time.Time) {
	check, err := events.ParseCheck(w.msg.Check)
	if err != nil || now.After(check.Deadline) {
		p.cfg.Metrics.checked(late)
		return
	}
	v := p.rule(ctx, w, now)
	body, err := json.Marshal(v)
	if err != nil {
		p.cfg.Logger.Error("a verdict could not be encoded", "event", w.event.ID, "error", err)
		return
	}
	subject := events.VerdictSubject(w.event.Tenant, w.event.Agent, w.event.Run, check.Token)
	if err := p.cfg.Bus.Answer(subject, p.sealed(actions.DomainVerdict, subject, body), body); err != nil {
		p.cfg.Logger.Warn("a verdict could not be sent", "event", w.event.ID, "error", err)
		return
	}
	p.cfg.Metrics.answered(w, v.Decision, p.cfg.Now())
}

// rule makes the verdict: what the engine said, with the texts it names. Where
// the content to replay is not to be had, the call is allowed; the observation
// is on its way all the same.
func (p *Processor) rule(ctx context.Context, w *work, now time.Time) actions.Verdict {
	a := w.result.Answer
	v := actions.Verdict{V: actions.Version, Event: w.event.ID, Decision: a.Decision, Controls: []actions.Control{}}
	if w.event.Kind == events.RunStart {
		v.LastSeq, v.Time = &a.LastSeq, now.UTC()
	}
	if w.event.Call != nil {
		v.CallID = w.event.Call.ID
	}
	id := state.RunID{Tenant: w.event.Tenant, Task: w.event.Task, Run: w.event.Run}
	for _, c := range a.Unacked {
		body, err := p.texts.control(ctx, w.owner.number, id, w.event.Agent, c.ID)
		if err != nil {
			p.cfg.Logger.Warn("a stored control could not be read", "control", c.ID, "error", err)
			continue
		}
		if control, err := actions.DecodeControl(body); err == nil {
			v.Controls = append(v.Controls, control)
		}
	}
	if a.Decision != actions.ReplayCall {
		return v
	}
	answer, ok := p.replayed(ctx, w, a.Replay)
	if !ok {
		v.Decision = actions.Allow
		return v
	}
	v.Replay = &answer
	return v
}

// replayed reads the result that stands in for executing the call.
func (p *Processor) replayed(ctx context.Context, w *work, result state.Ref) (actions.Answer, bool) {
	e, err := p.texts.event(ctx, w.owner.number, result.Seq)
	if err != nil || e.Result == nil || e.Result.Truncated || withheld(e.Result.Content) {
		return actions.Answer{}, false
	}
	return actions.Answer{
		OfCallID: e.Result.CallID, Content: replayContent(e.Result),
		Label: actions.Label(e.Result.CallID, w.event.Time.Sub(e.Time)),
	}, true
}

// withheld reports whether content is a hash in place of what the tool gave.
func withheld(content []byte) bool { return bytes.HasPrefix(content, []byte(`{"$h":`)) }

// replayContent is what the tool gave: its content, or its error's message.
func replayContent(r *events.Result) []byte {
	if r.Content != nil || r.Error == nil {
		return r.Content
	}
	b, err := json.Marshal(r.Error.Message)
	if err != nil {
		return nil
	}
	return b
}
