package state

import "github.com/loopwatch/loopwatch/internal/features"

// leastIndex is the size of the first index: enough for most tables.
const leastIndex = 16

// tagOf is the part of a hash that its place keeps.
func tagOf(h features.Hash) uint32 { return uint32(h >> 32) }

// homeOf is where the search for a hash begins; hashes are even already, but
// nobody promises which of their bits are.
func homeOf(h features.Hash) uint32 { return uint32(uint64(h) * 0x9E3779B97F4A7C15 >> 32) }

// find returns the slot of h, -1 where there is none.
func (t *Table[V]) find(h features.Hash) int32 {
	if len(t.slots) == 0 {
		return -1
	}
	return t.index[t.probe(h)].at - 1
}

// probe returns the place of h in the index, or the free one it would take.
func (t *Table[V]) probe(h features.Hash) uint32 {
	mask, tag := uint32(len(t.index)-1), tagOf(h)
	for i := homeOf(h) & mask; ; i = (i + 1) & mask {
		p := &t.index[i]
		if p.at == 0 || p.tag == tag && t.slots[p.at-1].hash == h {
			return i
		}
	}
}

// grow doubles the index; the newest slot is not in it yet.
func (t *Table[V]) grow() {
	t.reindex(max(leastIndex, 2*len(t.index)))
}

// reindex makes an index of n places for all slots but the newest.
func (t *Table[V]) reindex(n int) {
	t.index = make([]spot, n)
	for i := range t.slots[:max(len(t.slots)-1, 0)] {
		h := t.slots[i].hash
		t.index[t.probe(h)] = spot{tag: tagOf(h), at: int32(i + 1)}
	}
}

// free empties a place and moves up those behind it.
func (t *Table[V]) free(at uint32) {
	mask := uint32(len(t.index) - 1)
	for i := (at + 1) & mask; t.index[i].at != 0; i = (i + 1) & mask {
		home := homeOf(t.slots[t.index[i].at-1].hash)
		if (i-home)&mask >= (i-at)&mask { // its way from home leads over the free place
			t.index[at] = t.index[i]
			at = i
		}
	}
	t.index[at] = spot{}
}

// indexFor returns the size of an index for n entries.
func indexFor(n int) int {
	size := leastIndex
	for size < 2*n {
		size *= 2
	}
	return size
}
