package state

import "github.com/loopwatch/loopwatch/internal/features"

// Table remembers the entries of the last K distinct hashes that were put or
// touched, exactly; the one longest untouched goes first. A Limit below 1 means
// 1. Every operation is O(1).
type Table[V any] struct {
	Limit   int
	Evicted uint32 // entries forgotten so far: non-zero means "truncated"

	index       []spot // open addressing, a power of two of them and at most half full
	slots       []slot[V]
	first, last int32 // oldest and newest, as index+1; 0 means none
}

// spot says where in slots an entry is, as index+1; 0 is free. The tag is some
// of the hash, so that others are seldom looked at.
type spot struct {
	tag uint32
	at  int32
}

type slot[V any] struct {
	hash       features.Hash
	prev, next int32
	value      V
}

// Len returns the number of entries held.
func (t *Table[V]) Len() int { return len(t.slots) }

// Get returns the entry of h without touching it, nil where there is none. The
// pointer is valid until the next Put.
func (t *Table[V]) Get(h features.Hash) *V {
	if i := t.find(h); i >= 0 {
		return &t.slots[i].value
	}
	return nil
}

// Put returns the entry of h as the newest, made zero where there was none.
// The pointer is valid until the next Put.
func (t *Table[V]) Put(h features.Hash) *V {
	if i := t.find(h); i >= 0 {
		if i != t.last-1 {
			t.unlink(i)
			t.append(i)
		}
		return &t.slots[i].value
	}
	i := int32(len(t.slots))
	if len(t.slots) >= t.Limit && len(t.slots) > 0 {
		i = t.first - 1
		t.unlink(i)
		t.free(t.probe(t.slots[i].hash))
		t.Evicted++
		t.slots[i] = slot[V]{hash: h}
	} else {
		t.slots = append(t.slots, slot[V]{hash: h})
		if 2*len(t.slots) > len(t.index) {
			t.grow()
		}
	}
	t.index[t.probe(h)] = spot{tag: tagOf(h), at: i + 1}
	t.append(i)
	return &t.slots[i].value
}

// Delete forgets the entry of h; an absent one is no error.
func (t *Table[V]) Delete(h features.Hash) {
	i := t.find(h)
	if i < 0 {
		return
	}
	t.unlink(i)
	t.free(t.probe(h))
	end := int32(len(t.slots) - 1)
	if i != end {
		t.move(end, i)
	}
	t.slots = t.slots[:end]
}

// Clear forgets all entries; it does not count them as evicted.
func (t *Table[V]) Clear() { *t = Table[V]{Limit: t.Limit, Evicted: t.Evicted} }

// Each calls fn for every entry from the oldest to the newest until it returns
// false; fn must not change the table.
func (t *Table[V]) Each(fn func(h features.Hash, v *V) bool) {
	for i := t.first; i != 0; i = t.slots[i-1].next {
		if !fn(t.slots[i-1].hash, &t.slots[i-1].value) {
			return
		}
	}
}

func (t *Table[V]) unlink(i int32) {
	s := &t.slots[i]
	if s.prev != 0 {
		t.slots[s.prev-1].next = s.next
	} else {
		t.first = s.next
	}
	if s.next != 0 {
		t.slots[s.next-1].prev = s.prev
	} else {
		t.last = s.prev
	}
	s.prev, s.next = 0, 0
}

func (t *Table[V]) append(i int32) {
	t.slots[i].prev = t.last
	if t.last != 0 {
		t.slots[t.last-1].next = i + 1
	} else {
		t.first = i + 1
	}
	t.last = i + 1
}

// move puts the linked slot from at the free place to.
func (t *Table[V]) move(from, to int32) {
	s := t.slots[from]
	t.index[t.probe(s.hash)].at = to + 1
	t.slots[to] = s
	if s.prev != 0 {
		t.slots[s.prev-1].next = to + 1
	} else {
		t.first = to + 1
	}
	if s.next != 0 {
		t.slots[s.next-1].prev = to + 1
	} else {
		t.last = to + 1
	}
}
