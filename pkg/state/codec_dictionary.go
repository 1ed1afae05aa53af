package state

import "encoding/binary"

// A value that occurs often in a record is spelled out once; afterwards its
// distance to the newest spelled out stands for it.
const (
	spelled  = iota // the value follows
	absent          // the zero value
	distance        // of the newest; one more for each older
)

// dictionary holds the distinct values of one record in the order in which
// they were spelled out. It keeps its memory from record to record.
type dictionary[K comparable] struct {
	values []K
	slots  []slotOf // open addressing, a power of two of them; for writing only
	epoch  uint32   // of the record under way: slots of others are free
}

// slotOf says where in the dictionary a value is.
type slotOf struct {
	spread uint64 // of the value
	epoch  uint32
	index  int32
}

func (d *dictionary[K]) reset() {
	d.values = d.values[:0]
	if d.epoch++; d.epoch == 0 {
		clear(d.slots)
		d.epoch = 1
	}
}

// find returns the index of k, or adds it and says that it was unknown. The
// high bits of spread tell values apart; equal values have equal ones.
func (d *dictionary[K]) find(k K, spread uint64) (index int, known bool) {
	if 2*len(d.values) >= len(d.slots) {
		d.grow()
	}
	s := d.probe(spread, func(i int32) bool { return d.values[i] == k })
	if s.epoch == d.epoch {
		return int(s.index), true
	}
	*s = slotOf{spread: spread, epoch: d.epoch, index: int32(len(d.values))}
	d.values = append(d.values, k)
	return len(d.values) - 1, false
}

// probe returns the slot of the value, or the free one it would take.
func (d *dictionary[K]) probe(spread uint64, is func(int32) bool) *slotOf {
	mask := uint64(len(d.slots) - 1)
	for i := spread >> 32 & mask; ; i = (i + 1) & mask {
		s := &d.slots[i]
		if s.epoch != d.epoch || s.spread == spread && is(s.index) {
			return s
		}
	}
}

// grow doubles the slots.
func (d *dictionary[K]) grow() {
	old := d.slots
	d.slots = make([]slotOf, max(256, 2*len(old)))
	for _, s := range old {
		if s.epoch == d.epoch {
			*d.probe(s.spread, func(int32) bool { return false }) = s
		}
	}
}

// spread gives every bit of x a say in the high bits.
func spread(x uint64) uint64 {
	x *= 0x9E3779B97F4A7C15
	x ^= x >> 29
	return x * 0xBF58476D1CE4E5B9
}

// word codes 8 bytes that may have occurred before.
func (c *coder) word(x *uint64) {
	if c.reading {
		if at, ok := readPlace(c, &c.hashes, x); ok && !at {
			c.fixed(x)
			c.hashes.values = append(c.hashes.values, *x)
		}
		return
	}
	if *x == 0 {
		c.buf = append(c.buf, absent)
	} else if i, known := c.hashes.find(*x, spread(*x)); known {
		c.buf = binary.AppendUvarint(c.buf, uint64(distance+len(c.hashes.values)-1-i))
	} else {
		c.buf = append(c.buf, spelled)
		c.fixed(x)
	}
}

// fresh codes 8 bytes that are the first of their kind in the record, for word
// to find them.
func (c *coder) fresh(x *uint64) {
	c.fixed(x)
	known := c.reading
	if !c.reading {
		_, known = c.hashes.find(*x, spread(*x))
	}
	if known { // writing finds only the first of equal ones, but all have a place
		c.hashes.values = append(c.hashes.values, *x)
	}
}

// ref codes a pointer to an event that may have occurred before.
func (c *coder) ref(r *Ref) {
	if c.reading {
		if at, ok := readPlace(c, &c.refs, r); ok && !at {
			c.spell(r)
			c.refs.values = append(c.refs.values, *r)
		}
		return
	}
	if r.IsZero() {
		c.buf = append(c.buf, absent)
	} else if i, known := c.refs.find(*r, spread(r.Seq^binary.LittleEndian.Uint64(r.ID[:8]))); known {
		c.buf = binary.AppendUvarint(c.buf, uint64(distance+len(c.refs.values)-1-i))
	} else {
		c.buf = append(c.buf, spelled)
		c.spell(r)
	}
}

// spell codes a ref in full: its place next to that of the ref before. The
// first half of the digest is what Sequence remembers of the event, too.
func (c *coder) spell(r *Ref) {
	step := int64(r.Seq - c.seq)
	c.i64(&step)
	r.Seq = c.seq + uint64(step)
	c.seq = r.Seq
	head, tail := binary.BigEndian.Uint64(r.ID[:8]), binary.LittleEndian.Uint64(r.ID[8:])
	c.word(&head)
	c.fixed(&tail)
	binary.BigEndian.PutUint64(r.ID[:8], head)
	binary.LittleEndian.PutUint64(r.ID[8:], tail)
}

// readPlace reads what stands for a value: it is set where it is absent or
// known, and still to be spelled out otherwise.
func readPlace[K comparable](c *coder, d *dictionary[K], x *K) (set, ok bool) {
	var at uint64
	c.uvarint(&at)
	var zero K
	*x = zero
	switch {
	case c.err != nil:
		return false, false
	case at == spelled:
		return false, true
	case at == absent:
		return true, true
	case at-distance >= uint64(len(d.values)):
		c.fail("value %d back, where only %d were spelled out", at-distance, len(d.values))
		return false, false
	}
	*x = d.values[len(d.values)-1-int(at-distance)]
	return true, true
}
