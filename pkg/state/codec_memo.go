package state

import (
	"encoding/binary"

	"github.com/loopwatch/loopwatch/internal/features"
)

func (m *Memo) code(c *coder) {
	c.in("memo.acts")
	codeRing(c, &m.Fails, (*Failure).code)
	m.Idle.code(c)
	codeTable(c, &m.Stuck, (*Tally).code)
	codeTable(c, &m.Payloads, (*Tally).code)
	codeTable(c, &m.Restores, (*Spots).code)
	codeTable(c, &m.Checks, (*Tally).code)
	if c.since(2) {
		m.Touched.code(c)
		c.u32(&m.Rewrites)
	}
	codeRing(c, &m.Familiar, codeBool)
	m.Lines.code(c)
	c.in("memo.words")
	m.Said.code(c)
	codeTable(c, &m.Own, (*Passage).code)
	codeTable(c, &m.Plans, (*Plan).code)
	m.Talk.code(c)
	codeTable(c, &m.Told, (*Tally).code)
	m.Compacted.code(c)
	if c.since(2) {
		c.u32(&m.News)
	}
	c.flags(&m.Fenced)
	c.u32(&m.Turns)
}

func codeBool(x *bool, c *coder) { c.flags(x) }

func (t *Tally) code(c *coder) {
	c.hash(&t.Hash)
	c.int(&t.Count)
	c.int(&t.Round)
	c.int(&t.Since)
	c.u32(&t.Mark)
	c.ref(&t.First)
}

func (f *Failure) code(c *coder) {
	c.hash(&f.Tool)
	c.hash(&f.Key)
	c.hash(&f.Result)
	c.int(&f.Round)
	c.ref(&f.Call)
}

func (s *Spots) code(c *coder) {
	for i := range s.At {
		c.u32(&s.At[i])
		c.int(&s.Round[i])
		c.ref(&s.Ref[i])
	}
}

// code stores the turns up to the first that is none.
func (p *Passage) code(c *coder) {
	for i := range p.Turns {
		if c.u32(&p.Turns[i]); p.Turns[i] == 0 {
			break
		}
	}
	c.int(&p.Since)
	c.ref(&p.First)
}

func (p *Plan) code(c *coder) {
	c.int(&p.Halves)
	c.u32(&p.Epoch)
	c.u32(&p.Msgs)
	c.u32(&p.Soft)
	if c.since(2) {
		c.u32(&p.News)
	}
	c.int(&p.Since)
	c.ref(&p.First)
}

func (t *Talk) code(c *coder) {
	c.hash(&t.Words)
	c.int(&t.Same)
	c.int(&t.Alike)
	codeRing(c, &t.Recent, codeHashes)
	c.u32(&t.CallNo)
	c.int(&t.Since)
	c.ref(&t.First)
}

func codeHashes(x *[]features.Hash, c *coder) { codeSlice(c, x, codeHash) }

func (s *Seen) code(c *coder) {
	c.int(&s.Limit)
	codeRing(c, &s.ring, codeShort)
	if c.reading {
		s.slots = nil
	}
}

// codeShort codes 4 bytes that have no small values.
func codeShort(x *uint32, c *coder) {
	if !c.reading {
		c.buf = binary.LittleEndian.AppendUint32(c.buf, *x)
		return
	}
	*x = 0
	if b := c.next(4); b != nil {
		*x = binary.LittleEndian.Uint32(b)
	}
}
