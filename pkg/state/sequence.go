package state

import "encoding/binary"

// RecentIDs is how many event ids a run remembers to tell duplicates.
const RecentIDs = 256

// Sequence judges each event of a run by its id and seq: a known id is a
// duplicate, a seq not above the highest is late, a jump is a gap.
type Sequence struct {
	High       uint64 // highest seq seen
	Gaps       uint64 // seqs never seen so far
	Late       uint64 // events applied out of order
	Duplicates uint64
	recent     Ring[uint64]
	known      map[uint64]struct{}
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
	if _, ok := s.known[short]; ok {
		s.Duplicates++
		return Duplicate
	}
	s.remember(short)
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
	_, ok := s.known[binary.BigEndian.Uint64(d[:8])]
	return ok
}

func (s *Sequence) remember(short uint64) {
	if s.known == nil {
		s.recent.Limit = RecentIDs
		s.index()
	}
	if old, full := s.recent.Push(short); full {
		delete(s.known, old)
	}
	s.known[short] = struct{}{}
}

// index finds the recent ids again, from the ring that is stored.
func (s *Sequence) index() {
	s.known = make(map[uint64]struct{}, s.recent.Len())
	for i := range s.recent.Len() {
		s.known[*s.recent.Back(i)] = struct{}{}
	}
}
