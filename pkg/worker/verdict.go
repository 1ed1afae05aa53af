package worker

import (
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
)

func (r *Run) onVerdict(m *nats.Msg) {
	if !r.genuine(actions.DomainVerdict, m) {
		return
	}
	v, err := actions.DecodeVerdict(m.Data)
	if err != nil {
		r.cfg.Logger.Warn("a verdict that cannot be read is ignored", "error", err)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if q := r.asked.take(m.Subject[strings.LastIndexByte(m.Subject, '.')+1:], v.Event); q != nil && !r.released {
		q.answer <- r.heed(q, v)
	}
}

// heed takes what a verdict says: where the run goes on from, its controls,
// and whether it may go on at all. The caller holds mu.
func (r *Run) heed(q *question, v actions.Verdict) ruling {
	if r.guard != nil {
		r.guard.settled(q.place)
	}
	if v.LastSeq != nil && q.said.Kind == events.RunStart {
		r.attach(*v.LastSeq, v.Time)
	}
	for _, c := range v.Controls {
		r.obey(c, false)
	}
	if v.Decision == actions.RefuseCall && r.halted == nil {
		r.stop(actions.Control{
			V: actions.Version, Kind: actions.HaltRun, Tenant: r.cfg.Tenant, Agent: r.cfg.Agent, Task: r.cfg.Task, Run: r.cfg.Run,
			Reason: actions.Acted, Summary: "the run or its task is halted; resume it first",
		})
	}
	return ruling{said: q.said, replay: r.replayed(q, v)}
}

// attach goes on where an earlier process of the run stopped. Every round and
// every call took a seq at least, so numbers above the last seq are new.
func (r *Run) attach(last uint64, now time.Time) {
	if !now.IsZero() {
		r.skew = now.Sub(r.cfg.Now())
	}
	if last > r.seq {
		r.seq = last
		r.round, r.answered = max(r.round, or(r.cfg.Round, int(min(last, events.MaxRound/2)))), true
		r.calls = max(r.calls, last)
	}
}

// replayed returns the result that stands in for executing a call: our own
// copy where there is one, which is whole where what was sent is cut, else the
// verdict's, unless something was hidden in it: then there is none.
func (r *Run) replayed(q *question, v actions.Verdict) *Output {
	if q.said.Call == nil || v.Decision == actions.RefuseCall {
		return nil
	}
	of := ""
	if v.Replay != nil {
		of = v.Replay.OfCallID
	}
	for _, c := range v.Controls {
		if of == "" && c.Replay != nil && c.Event == q.said.ID {
			of = c.Replay.OfCallID
		}
	}
	out := r.results.output(of, q.said.Time)
	if out == nil && v.Replay != nil && !hidden(v.Replay.Content) {
		out = &Output{Content: v.Replay.Content, Label: v.Replay.Label}
	}
	return out
}
