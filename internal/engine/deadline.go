package engine

import (
	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/state"
)

// maxResends is how often an unacknowledged halt is sent again.
const maxResends = 3

// retention is how long a run that is over is remembered, in milliseconds: as
// long as the stream keeps its events (contract 10).
const retention = 72 * 3_600_000

// tick looks at every run whose deadline has come. What is due is stamped with
// its deadline, so the phase of ticks does not matter.
func (g *Engine) tick(out *Result) {
	now := g.part.Meta.ClockMS
	due, err := g.part.DueBy(now)
	if err != nil {
		g.part.Fail(err)
		return
	}
	for _, d := range due {
		r := g.part.Run(d.ID)
		if r == nil {
			continue
		}
		if g.advance(r, now, out); g.part.Run(d.ID) != nil {
			g.schedule(r)
		}
	}
	g.expire(now)
}

// advance does what time alone brings about for a run up to now.
func (g *Engine) advance(r *state.Run, now int64, out *Result) {
	g.part.Touch(r)
	g.silence(r, now, out)
	for i := range r.Ledger.Unacked {
		c := &r.Ledger.Unacked[i]
		if c.Kind == string(actions.HaltRun) && c.Resent < maxResends && now >= c.ResendMS && c.ResendMS != 0 {
			c.Resent++
			c.ResendMS += g.policy.Resend.Milliseconds()
			out.Resend = append(out.Resend, Resend{Target: r.ID, Agent: r.Agent, Control: c.ID})
		}
	}
	if r.Phase != state.Live && now >= r.StoredMS+retention {
		g.part.Forget(r)
		return
	}
	if r.Phase == state.Live && now >= r.StoredMS+g.policy.Idle.Milliseconds() {
		r.Phase = state.Lost
		out.Lost = append(out.Lost, Lost{Run: r.ID, Agent: r.Agent})
		g.join(r)
	}
}

// expire drops halts by scope whose time is over. Runs that were halted stay
// halted.
func (g *Engine) expire(now int64) {
	kept := g.part.Meta.Halts[:0]
	for _, h := range g.part.Meta.Halts {
		if h.Halt.UntilMS == 0 || now < h.Halt.UntilMS {
			kept = append(kept, h)
		}
	}
	g.part.Meta.Halts = kept
}

// schedule sets the run's next deadline.
func (g *Engine) schedule(r *state.Run) {
	var next int64
	earlier := func(at int64) {
		if at != 0 && (next == 0 || at < next) {
			next = at
		}
	}
	if r.Phase == state.Live {
		earlier(r.StoredMS + g.policy.Idle.Milliseconds())
		earlier(g.silentUntil(r))
	} else {
		earlier(r.StoredMS + retention)
	}
	for i := range r.Ledger.Unacked {
		c := &r.Ledger.Unacked[i]
		if c.Kind != string(actions.HaltRun) || c.Resent >= maxResends || g.policy.Resend == 0 {
			continue
		}
		if c.ResendMS == 0 {
			c.ResendMS = g.part.Meta.ClockMS + g.policy.Resend.Milliseconds()
		}
		earlier(c.ResendMS)
	}
	g.part.Schedule(r, next)
}
