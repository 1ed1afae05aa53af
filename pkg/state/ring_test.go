package state

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func valuesOf(r *Ring[int]) []int {
	var out []int
	for i := r.Len() - 1; i >= 0; i-- {
		out = append(out, *r.Back(i))
	}
	return out
}

func TestRingAgainstASlice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(0, 6).Draw(t, "limit")
		ring := Ring[int]{Limit: limit}
		var naive []int // oldest first
		next := 0
		t.Repeat(map[string]func(*rapid.T){
			"push": func(t *rapid.T) {
				next++
				dropped, full := ring.Push(next)
				naive = append(naive, next)
				if !full && len(naive) > limit {
					t.Fatalf("push %d onto %v dropped nothing", next, naive)
				}
				if full {
					if dropped != naive[0] {
						t.Fatalf("dropped %d, want %d", dropped, naive[0])
					}
					naive = naive[1:]
				}
			},
			"change": func(t *rapid.T) {
				if len(naive) > 0 {
					i := rapid.IntRange(0, len(naive)-1).Draw(t, "i")
					*ring.Back(i) = -next
					naive[len(naive)-1-i] = -next
				}
			},
			"remove": func(t *rapid.T) {
				if len(naive) > 0 {
					i := rapid.IntRange(0, len(naive)-1).Draw(t, "i")
					at := len(naive) - 1 - i
					if got := ring.Remove(i); got != naive[at] {
						t.Fatalf("removed %d, want %d", got, naive[at])
					}
					naive = slices.Delete(naive, at, at+1)
				}
			},
			"clear": func(t *rapid.T) {
				if rapid.IntRange(0, 9).Draw(t, "rarely") == 0 {
					ring.Clear()
					naive = nil
				}
			},
			"": func(t *rapid.T) {
				if got := valuesOf(&ring); !slices.Equal(got, naive) {
					t.Fatalf("holds %v, want %v", got, naive)
				}
			},
		})
	})
}

func TestRingPanicsPastItsEnd(t *testing.T) {
	ring := Ring[int]{Limit: 2}
	ring.Push(1)
	for _, i := range []int{-1, 1} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("Back(%d) of one value does not panic", i)
				}
			}()
			ring.Back(i)
		}()
	}
}
