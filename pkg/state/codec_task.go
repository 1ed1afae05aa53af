package state

func (t *Task) code(c *coder) {
	c.in("task")
	codeString(c, &t.ID.Tenant)
	codeString(c, &t.ID.Task)
	c.int(&t.Attempts)
	c.int(&t.Spawned)
	c.int(&t.Dropped)
	c.in("task.runs")
	codeSlice(c, &t.Runs, (*Member).code)
	c.in("task.failed")
	codeTable(c, &t.Failed, (*Attempt).code)
	c.in("task.tomb")
	t.Tomb.code(c)
}

func (a *Attempt) code(c *coder) {
	codeString(c, &a.Run)
	c.int(&a.Count)
	c.ref(&a.First)
}

func (m *Member) code(c *coder) {
	codeString(c, &m.Run)
	codeString(c, &m.Parent)
	codeString(c, &m.Agent)
	c.flags(&m.Over)
}

func (m *Meta) code(c *coder) {
	c.in("meta.checkpoint")
	m.Checkpoint.code(c)
	c.in("meta.policy")
	codeString(c, &m.Policy.Name)
	codeString(c, &m.Policy.Digest)
	codeString(c, &m.Policy.YAML)
	c.in("meta.halts")
	codeSlice(c, &m.Halts, (*ScopeHalt).code)
	c.in("meta.counts")
	m.Counts.code(c)
	c.i64(&m.ClockMS)
	if c.in("meta.census"); c.since(2) {
		m.Census.code(c)
	}
}

func (t *Census) code(c *coder) {
	for i := range t.Runs {
		c.u64(&t.Runs[i])
	}
	c.u64(&t.Escalated)
	c.flags(&t.Counted)
}

func (k *Checkpoint) code(c *coder) {
	place := Ref{Seq: k.Seq, ID: k.Digest}
	c.ref(&place)
	k.Seq, k.Digest = place.Seq, place.ID
	c.i64(&k.CreatedNS)
}

func (h *ScopeHalt) code(c *coder) {
	codeString(c, &h.Tenant)
	codeString(c, &h.Agent)
	codeString(c, &h.Task)
	h.Halt.code(c)
}

func (n *Counts) code(c *coder) {
	c.u64(&n.Applied)
	c.u64(&n.Duplicate)
	c.u64(&n.Late)
	c.u64(&n.Rejected)
	c.u64(&n.Gap)
}
