package state

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/loopwatch/loopwatch/internal/features"
)

// The set says the same as a list of the last hashes, whatever is added, in
// memory and once stored.
func TestSeenAgainstAList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.SampledFrom([]int{1, 3, few, few + 1, 100, 300}).Draw(t, "limit")
		spread := rapid.SampledFrom([]uint32{1, 1 << 7, 1 << 20, 0x9E3779B1}).Draw(t, "spread")
		s := Seen{Limit: limit}
		var naive []uint32
		next := uint32(0)
		for range rapid.IntRange(1, 3*limit).Draw(t, "adds") {
			next++
			if rapid.IntRange(0, 3).Draw(t, "again") == 0 {
				next -= uint32(rapid.IntRange(0, limit+2).Draw(t, "back"))
			}
			x := next * spread
			known := slices.Contains(naive, x)
			if s.Has(features.Hash(x)) != known {
				t.Fatalf("has %d: %v, want %v", x, !known, known)
			}
			if s.Add(features.Hash(x)) == known {
				t.Fatalf("%d is new: %v, want %v", x, known, !known)
			}
			if !known {
				naive = append(naive, x)
				naive = naive[max(0, len(naive)-limit):]
			}
		}
		stored := Seen{Limit: limit, ring: s.ring}
		for x := next - uint32(2*limit); x != next+3; x++ {
			want := slices.Contains(naive, x*spread)
			if h := features.Hash(x * spread); s.Has(h) != want || stored.Has(h) != want {
				t.Fatalf("has %d: %v, and %v once stored, want %v", x*spread, s.Has(h), stored.Has(h), want)
			}
		}
	})
}

// A set that is warm takes no memory for what it adds and drops.
func TestSeenAllocates(t *testing.T) {
	s := Seen{Limit: 300}
	next := features.Hash(0)
	add := func() {
		next++
		s.Add(next)
	}
	for range 700 {
		add()
	}
	if n := testing.AllocsPerRun(1000, add); n > 0 {
		t.Errorf("%v allocations for each, want none", n)
	}
}
