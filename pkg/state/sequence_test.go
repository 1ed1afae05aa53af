package state

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestOrder(t *testing.T) {
	type event struct {
		id   string
		seq  uint64
		want Order
	}
	tests := []struct {
		name             string
		events           []event
		high, gaps, late uint64
		duplicates       uint64
	}{
		{"in order", []event{{"a", 1, InOrder}, {"b", 2, InOrder}}, 2, 0, 0, 0},
		{"the same id again", []event{{"a", 1, InOrder}, {"a", 1, Duplicate}, {"a", 2, Duplicate}}, 1, 0, 0, 2},
		{"a gap, and what was missing", []event{{"a", 1, InOrder}, {"c", 4, InOrder}, {"b", 2, LateEvent}}, 4, 1, 1, 0},
		{"a seq that was there, by another event", []event{{"a", 1, InOrder}, {"b", 1, LateEvent}}, 1, 0, 1, 0},
		{"a start that does not know its place", []event{{"a", 0, InOrder}, {"b", 1, InOrder}, {"c", 0, InOrder}, {"d", 2, InOrder}}, 2, 0, 0, 0},
		{"the beginning was never seen", []event{{"a", 5, InOrder}}, 5, 4, 0, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var s Sequence
			for i, e := range test.events {
				if got := s.note(DigestOf(e.id), e.seq); got != e.want {
					t.Errorf("event %d is %d, want %d", i, got, e.want)
				}
			}
			if s.High != test.high || s.Gaps != test.gaps || s.Late != test.late || s.Duplicates != test.duplicates {
				t.Errorf("high %d, gaps %d, late %d, duplicates %d", s.High, s.Gaps, s.Late, s.Duplicates)
			}
		})
	}
}

// An id is a duplicate exactly while it is among the last RecentIDs others.
func TestRecentIDs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s Sequence
		var naive []int
		back := rapid.IntRange(1, RecentIDs+40)
		for n := range rapid.SampledFrom([]int{9, RecentIDs, 3 * RecentIDs}).Draw(t, "events") {
			id := n
			if rapid.IntRange(0, 3).Draw(t, "again") == 0 {
				id = max(0, n-back.Draw(t, "back"))
			}
			name := fmt.Sprint("event-", id)
			known := slices.Contains(naive, id)
			if s.Knows(name) != known {
				t.Fatalf("knows %s: %v, want %v", name, !known, known)
			}
			if got := s.note(DigestOf(name), 1) == Duplicate; got != known {
				t.Fatalf("%s is a duplicate: %v, want %v", name, got, known)
			}
			if !known {
				naive = append(naive, id)
				naive = naive[max(0, len(naive)-RecentIDs):]
			}
		}
		if s.recent.Len() != len(naive) {
			t.Fatalf("remembers %d ids, want %d", s.recent.Len(), len(naive))
		}
	})
}

// What was stored knows the same ids, and forgets them in the same order.
func TestRecentIDsAreStored(t *testing.T) {
	for _, n := range []int{0, 1, RecentIDs, RecentIDs + 100} {
		r := NewRun(RunID{"default", "t", "r"}, "agent", 0)
		for i := range n {
			r.Seq.note(DigestOf(fmt.Sprint("event-", i)), uint64(i+1))
		}
		back, err := DecodeRun(AppendRun(nil, r))
		if err != nil {
			t.Fatal(err)
		}
		for i := range n + 2*RecentIDs {
			id := DigestOf(fmt.Sprint("event-", i))
			if a, b := r.Seq.note(id, uint64(i+1)), back.Seq.note(id, uint64(i+1)); a != b {
				t.Fatalf("after %d events: event %d is %d, and %d once stored", n, i, a, b)
			}
		}
		if back.Seq.recent.Len() != RecentIDs {
			t.Errorf("after %d events: %d ids known", n, back.Seq.recent.Len())
		}
	}
}
