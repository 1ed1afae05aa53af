package state

import (
	"slices"

	"github.com/loopwatch/loopwatch/internal/features"
)

// Seen is the set of the last Limit distinct hashes added, kept by 32 bits of
// each: of 2048 known ones one in two million unknown is taken for known.
type Seen struct {
	Limit int
	ring  Ring[uint32]

	// The ring's entries by open addressing, once they are more than few; empty
	// until first asked. A zero slot is free: whether 0 itself is in is zero's.
	slots []uint32
	zero  bool
}

// few entries are looked through one by one.
const few = 32

// Has reports whether the hash is in the set.
func (s *Seen) Has(h features.Hash) bool { return s.has(short(h)) }

func (s *Seen) has(x uint32) bool {
	switch {
	case s.ring.Len() <= few:
		return slices.Contains(s.ring.items, x)
	case s.slots == nil:
		s.index(4 * few)
	}
	if x == 0 {
		return s.zero
	}
	return s.slots[s.probe(x)] == x
}

// Add puts the hash into the set and reports whether it was new there.
func (s *Seen) Add(h features.Hash) bool {
	x := short(h)
	if s.has(x) {
		return false
	}
	if s.ring.Limit = s.Limit; s.ring.items == nil {
		s.ring.items = make([]uint32, 0, min(s.Limit, few))
	}
	old, full := s.ring.Push(x)
	if s.slots == nil {
		return true
	}
	if full {
		s.remove(old)
	}
	if 2*s.ring.Len() > len(s.slots) {
		s.index(2 * len(s.slots))
	} else {
		s.insert(x)
	}
	return true
}

// Len returns how many hashes are in the set.
func (s *Seen) Len() int { return s.ring.Len() }

// index makes at least n slots, a power of two of them, from the ring that is
// stored.
func (s *Seen) index(n int) {
	for n < 2*s.ring.Len() {
		n *= 2
	}
	s.slots, s.zero = make([]uint32, n), false
	for _, x := range s.ring.items {
		s.insert(x)
	}
}

func (s *Seen) insert(x uint32) {
	if x == 0 {
		s.zero = true
		return
	}
	s.slots[s.probe(x)] = x
}

// probe returns the slot in which x is, or the free one in which it would be.
func (s *Seen) probe(x uint32) uint32 {
	mask := uint32(len(s.slots) - 1)
	for i := home(x) & mask; ; i = (i + 1) & mask {
		if s.slots[i] == x || s.slots[i] == 0 {
			return i
		}
	}
}

// remove frees the slot of x and moves up what stands behind it.
func (s *Seen) remove(x uint32) {
	if x == 0 {
		s.zero = false
		return
	}
	mask := uint32(len(s.slots) - 1)
	free := s.probe(x)
	for i := (free + 1) & mask; s.slots[i] != 0; i = (i + 1) & mask {
		if (i-home(s.slots[i]))&mask >= (i-free)&mask { // its way from home leads over the free slot
			s.slots[free] = s.slots[i]
			free = i
		}
	}
	s.slots[free] = 0
}

func home(x uint32) uint32 { return x * 0x9E3779B1 >> 7 }

func short(h features.Hash) uint32 { return uint32(h) ^ uint32(h>>32) }
