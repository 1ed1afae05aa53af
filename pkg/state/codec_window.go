package state

import "github.com/loopwatch/loopwatch/internal/features"

func (w *Window) code(c *coder) {
	c.in("window.keys")
	codeTable(c, &w.Keys, (*Key).code)
	c.in("window.results")
	codeTable(c, &w.Results, (*Outcome).code)
	c.in("window.errors")
	codeTable(c, &w.Errors, (*Errors).code)
	w.Sibling.code(c)
	c.in("window.calls")
	codeRing(c, &w.Calls, (*Issued).code)
	c.in("window.steps")
	codeRing(c, &w.Steps, (*Step).code)
	c.in("window.pending")
	codeRing(c, &w.Pending, (*Pending).code)
	c.in("window.cycles")
	w.Cycles.code(c)
	c.in("window.laps")
	w.Laps.code(c)
	c.in("window.round")
	w.Round.code(c)
	c.in("window")
	w.Quiet.code(c)
	w.Alone.code(c)
	c.ref(&w.Heard)
	w.State.code(c)
	codeSlice(c, &w.Known, codeText)
	c.u32(&w.Epoch)
	c.u32(&w.Soft)
	c.u32(&w.Msgs)
	c.u32(&w.CallNo)
	c.int(&w.Answered)
	c.u32(&w.Waited)
	c.int(&w.Finished)
	w.Memo.code(c)
}

func (k *Key) code(c *coder) {
	c.u32(&k.Calls)
	c.u32(&k.Rounds)
	c.u32(&k.Same)
	c.u32(&k.Futile)
	c.u32(&k.Results)
	c.int(&k.Round)
	c.int(&k.Answered)
	c.hash(&k.Result)
	c.u32(&k.Epoch)
	c.u32(&k.Soft)
	c.u32(&k.Msgs)
	c.u32(&k.CallNo)
	c.i64(&k.ElapsedMS)
	c.flags(&k.Failed)
	c.int(&k.FirstRound)
	c.int(&k.FutileRound)
	c.ref(&k.First)
	c.ref(&k.FutileFrom)
	c.ref(&k.FirstCall)
	c.ref(&k.FirstResult)
	c.ref(&k.Last)
	c.ref(&k.LastResult)
	if c.since(2) {
		c.u32(&k.News)
	}
}

func (o *Outcome) code(c *coder) {
	c.hash(&o.Tool)
	c.u32(&o.Count)
	c.int(&o.Round)
	c.u32(&o.Epoch)
	c.ref(&o.First)
	codeSlice(c, &o.Args, codeHash)
	if c.since(2) {
		c.u32(&o.Sole)
	}
}

func (x *Errors) code(c *coder) {
	c.hash(&x.Class)
	c.int(&x.Count)
	c.int(&x.Round)
	c.int(&x.Since)
	c.u32(&x.Epoch)
	codeSlice(c, &x.Tools, codeHash)
	c.ref(&x.First)
	c.ref(&x.Last)
}

func (i *Issued) code(c *coder) {
	c.hash(&i.Key)
	c.hash(&i.Tool)
	c.int(&i.Round)
	c.ref(&i.Call)
}

func (s *Step) code(c *coder) {
	c.hash(&s.Key)
	c.hash(&s.Tool)
	c.hash(&s.Result)
	c.hash(&s.Class)
	c.ref(&s.Call)
	c.ref(&s.Answer)
	c.int(&s.Round)
	c.u32(&s.Epoch)
	c.flags(&s.Error, &s.Novel, &s.Changed)
}

func (p *Pending) code(c *coder) {
	c.hash(&p.ID)
	codeCall(&p.Call, c)
	c.ref(&p.Ref)
	c.int(&p.Round)
	c.i64(&p.ElapsedMS)
	c.i64(&p.StoredMS)
	c.i64(&p.TimeoutMS)
	if c.since(2) {
		c.flags(&p.Dropped)
	}
}

func codeCall(f *features.Call, c *coder) {
	c.hash(&f.Tool)
	c.hash(&f.Key)
	c.hash(&f.Exact)
	codeEnum(c, &f.Effect, features.Think)
	c.flags(&f.Shell, &f.Waits, &f.Sleeps, &f.Polls, &f.Again, &f.NoArgs)
	c.hash(&f.Restore)
	codeSlice(c, &f.Payload, codeHash)
	codeSlice(c, &f.Args, codeHash)
	codeSlice(c, &f.Echoes, codeHash)
	if c.since(2) {
		codeSlice(c, &f.Touched, codeHash)
	}
}

// code stores how many periods there are: a longer one that comes later begins
// with no match.
func (y *Cycles) code(c *coder) {
	codeRing(c, &y.Items, (*Lap).code)
	n := c.count(len(y.Match))
	if n > len(y.Match) {
		c.fail("%d periods, of which %d are known", n, len(y.Match))
		n = 0
	}
	for i := range y.Match[:n] {
		c.u32(&y.Match[i])
	}
}

func (l *Lap) code(c *coder) {
	c.hash(&l.Hash)
	c.ref(&l.Ref)
}

func (r *Round) code(c *coder) {
	c.int(&r.Number)
	c.int(&r.Calls)
	c.int(&r.Answers)
	c.hash(&r.Keys)
	c.hash(&r.Pairs)
	c.flags(&r.Novel, &r.Changed, &r.Counted, &r.Untold, &r.Weather, &r.Waited, &r.Priced)
	c.flags(&r.Stirred)
	c.ref(&r.First)
}

func (s *Streak) code(c *coder) {
	c.hash(&s.Hash)
	c.int(&s.Turns)
	c.int(&s.Round)
	c.ref(&s.First)
}

func (l *Lull) code(c *coder) {
	c.int(&l.Rounds)
	c.int(&l.Round)
	c.ref(&l.First)
}
