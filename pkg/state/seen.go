package state

import "github.com/loopwatch/loopwatch/internal/features"

// Seen is the set of the last Limit distinct hashes added, kept by 32 bits of
// each: of 2048 known ones one in two million unknown is taken for known.
type Seen struct {
	Limit int
	ring  Ring[uint32]
	at    map[uint32]struct{} // the ring's entries, made when first asked
}

// Has reports whether the hash is in the set.
func (s *Seen) Has(h features.Hash) bool {
	s.index()
	_, ok := s.at[short(h)]
	return ok
}

// Add puts the hash into the set and reports whether it was new there.
func (s *Seen) Add(h features.Hash) bool {
	if s.Has(h) {
		return false
	}
	s.ring.Limit = s.Limit
	if old, full := s.ring.Push(short(h)); full {
		delete(s.at, old)
	}
	s.at[short(h)] = struct{}{}
	return true
}

// Len returns how many hashes are in the set.
func (s *Seen) Len() int { return s.ring.Len() }

func (s *Seen) index() {
	if s.at != nil {
		return
	}
	s.at = make(map[uint32]struct{}, s.ring.Len())
	for i := range s.ring.Len() {
		s.at[*s.ring.Back(i)] = struct{}{}
	}
}

func short(h features.Hash) uint32 { return uint32(h) ^ uint32(h>>32) }
