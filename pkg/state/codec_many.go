package state

import "github.com/loopwatch/loopwatch/internal/features"

// maxLimit bounds the stored limits of tables and rings, far above any policy.
const maxLimit = 1 << 20

// maxAhead bounds the entries that memory is taken for before they are read.
const maxAhead = 512

// count codes how many entries follow, each of at least one byte.
func (c *coder) count(n int) int {
	v := uint64(n)
	c.uvarint(&v)
	if c.reading && v > uint64(c.left()) {
		c.fail("%d entries where %d bytes are left", v, c.left())
		v = 0
	}
	return int(v)
}

// limit codes the capacity of a table or ring, which holds least at least, and
// how many entries follow.
func (c *coder) limit(limit *int, least, n int) int {
	c.int(limit)
	if n = c.count(n); c.reading && (*limit < 0 || *limit > maxLimit || n > max(*limit, least)) {
		c.fail("%d entries where the limit is %d", n, *limit)
		*limit, n = 0, 0
	}
	return n
}

// codeSlice codes a list; none and an empty one are the same.
func codeSlice[V any](c *coder, s *[]V, each func(*V, *coder)) {
	n := c.count(len(*s))
	if !c.reading {
		for i := range *s {
			each(&(*s)[i], c)
		}
		return
	}
	if *s = nil; n > 0 {
		*s = make([]V, 0, min(n, maxAhead))
	}
	for i := 0; i < n && c.err == nil; i++ {
		var v V
		each(&v, c)
		*s = append(*s, v)
	}
}

func codeText(s *string, c *coder) { codeString(c, s) }

// codeRing codes the limit and the values, the oldest first.
func codeRing[V any](c *coder, r *Ring[V], each func(*V, *coder)) {
	n := c.limit(&r.Limit, 0, r.Len())
	if !c.reading {
		for i := n - 1; i >= 0; i-- {
			each(r.Back(i), c)
		}
		return
	}
	if r.Clear(); n > 0 {
		r.items = make([]V, 0, min(n, maxAhead))
	}
	for i := 0; i < n && c.err == nil; i++ {
		var v V
		each(&v, c)
		r.Push(v)
	}
}

// codeTable codes the limit, what was forgotten and the entries, the oldest
// first.
func codeTable[V any](c *coder, t *Table[V], each func(*V, *coder)) {
	n := c.limit(&t.Limit, 1, t.Len())
	c.u32(&t.Evicted)
	if !c.reading {
		t.Each(func(h features.Hash, v *V) bool {
			c.hash(&h)
			each(v, c)
			return true
		})
		return
	}
	if t.Clear(); n > 0 {
		t.slots = make([]slot[V], 0, min(n, maxAhead))
		t.reindex(indexFor(min(n, maxAhead)))
	}
	for i := 0; i < n && c.err == nil; i++ {
		var h features.Hash
		c.hash(&h)
		each(t.Put(h), c)
		if t.Len() != i+1 {
			c.fail("entry %d is there twice", i)
		}
	}
}
