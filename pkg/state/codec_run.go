package state

import (
	"github.com/loopwatch/loopwatch/internal/features"
	"github.com/loopwatch/loopwatch/pkg/events"
)

func (r *Run) code(c *coder) {
	c.in("run")
	codeString(c, &r.ID.Tenant)
	codeString(c, &r.ID.Task)
	codeString(c, &r.ID.Run)
	codeString(c, &r.Agent)
	codeString(c, &r.Parent)
	codeString(c, &r.Model)
	codeEnum(c, &r.Phase, Lost)
	codeString(c, &r.EndedAs)
	c.u32(&r.Opened)
	c.int(&r.Attempt)
	c.i64(&r.StoredMS)
	c.i64(&r.DueMS)
	codeBytes(c, &r.LastID)
	c.u64(&r.LastSeq)
	c.ref(&r.LastRef)
	c.in("run.sequence")
	r.Seq.code(c)
	c.in("run.tools")
	codeSlice(c, &r.Tools, (*Tool).code)
	c.in("run.limits")
	codeLimits(&r.Limits, c)
	codeLimits(&r.Granted, c)
	c.in("run.usage")
	r.Clock.code(c)
	r.Usage.code(c)
	r.Window.code(c)
	r.Ledger.code(c)
	if c.since(2) {
		c.i64(&r.SilentMS)
	}
}

func (s *Sequence) code(c *coder) {
	c.u64(&s.High)
	c.u64(&s.Gaps)
	c.u64(&s.Late)
	c.u64(&s.Duplicates)
	codeRing(c, &s.recent, codeFresh)
}

func codeFresh(x *uint64, c *coder) { c.fresh(x) }

func (t *Tool) code(c *coder) {
	codeString(c, &t.Name)
	c.hash(&t.Hash)
	codeEnum(c, &t.Effect, features.Think)
	c.flags(&t.Polls, &t.Declared)
}

func codeLimits(l *events.Limits, c *coder) {
	c.int(&l.MaxTurns)
	c.float(&l.MaxCostUSD)
	c.i64(&l.MaxWallClockMS)
	c.i64(&l.MaxTokens)
}

func (k *Clock) code(c *coder) {
	c.i64(&k.Elapsed)
	c.i64(&k.Last)
}

func (u *Usage) code(c *coder) {
	c.int(&u.Turns)
	c.int(&u.Calls)
	c.float(&u.CostUSD)
	c.int(&u.Unpriced)
	c.i64(&u.InputTokens)
	c.i64(&u.OutputTokens)
	c.i64(&u.FirstInput)
	c.i64(&u.LastInput)
}
