package state

func (l *Ledger) code(c *coder) {
	c.in("ledger.incidents")
	codeSlice(c, &l.Incidents, (*Incident).code)
	c.in("ledger.accounts")
	codeTable(c, &l.Accounts, (*Account).code)
	c.in("ledger.density")
	codeRing(c, &l.Density, codeByte)
	c.in("ledger.unacked")
	codeSlice(c, &l.Unacked, (*Control).code)
	c.in("ledger.halt")
	l.Halt.code(c)
	c.in("ledger")
	c.int(&l.Observations)
	c.int(&l.Controls)
	c.u64(&l.Withheld)
	codeString(c, &l.Fired)
	c.flags(&l.ActedPast)
	if c.since(2) {
		c.u64(&l.Lifted)
	}
}

func codeByte(x *uint8, c *coder) { codeEnum(c, x, 255) }

func (a *Account) code(c *coder) {
	c.int(&a.Weight)
	c.ref(&a.First)
	c.int(&a.Round)
}

func (i *Incident) code(c *coder) {
	codeString(c, &i.ID)
	codeString(c, &i.Detector)
	c.hash(&i.Cause)
	c.hash(&i.Tool)
	c.ref(&i.First)
	c.int(&i.Since)
	c.int(&i.Rung)
	c.int(&i.After)
	c.int(&i.Hard)
	c.u32(&i.CallNo)
	c.int(&i.Clean)
	c.flags(&i.Slow, &i.Words, &i.Shadow, &i.Closed, &i.Held)
	codeString(c, &i.Reason)
}

func (x *Control) code(c *coder) {
	codeString(c, &x.ID)
	codeString(c, &x.Kind)
	c.i64(&x.ExpiresMS)
	c.i64(&x.ResendMS)
	c.int(&x.Resent)
}

func (h *Halt) code(c *coder) {
	codeString(c, &h.Control)
	codeString(c, &h.Incident)
	codeString(c, &h.Detector)
	c.int(&h.Rung)
	codeString(c, &h.EndStatus)
	codeString(c, &h.Reason)
	codeString(c, &h.By)
	c.int(&h.Round)
	codeString(c, &h.FromRun)
	c.ref(&h.Cause)
	c.i64(&h.UntilMS)
}
