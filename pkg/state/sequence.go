package state

import (
	"encoding/binary"
	"slices"
)

// RecentIDs is how many event ids a run remembers to tell duplicates.
const RecentIDs = 256

// Sequence judges each event of a run by its id and seq: a known id is a
// duplicate, a seq not above the highest is late, a jump is a gap.
type Sequence struct {
	High       uint64 // highest seq seen
	Gaps       uint64 // seqs never seen so far
	Late       uint64 // events applied out of order
	Duplicates uint64
	recent     Ring[uint64] // few enough to be looked through
}

// Order says how an event stands to those before it.
type Order uint8

const (
	InOrder Order = iota
	LateEvent
	Duplicate
)

// note records an event and says how it stands. A seq of 0 (a run_start that
// does not know its place) is neither late nor a gap.
func (s *Sequence) note(id Digest, seq uint64) Order {
	short := binary.BigEndian.Uint64(id[:8])
	if slices.Contains(s.recent.items, short) {
		s.Duplicates++
		return Duplicate
	}
	if s.recent.Limit = RecentIDs; s.recent.items == nil {
		s.recent.items = make([]uint64, 0, 8)
	}
	s.recent.Push(short)
	switch {
	case seq == 0:
		return InOrder
	case seq <= s.High:
		s.Late++
		if s.Gaps > 0 {
			s.Gaps--
		}
		return LateEvent
	}
	s.Gaps += seq - s.High - 1
	s.High = seq
	return InOrder
}

// Knows reports whether an event of that id is among the recent ones.
func (s *Sequence) Knows(id string) bool {
	d := DigestOf(id)
	return slices.Contains(s.recent.items, binary.BigEndian.Uint64(d[:8]))
}
