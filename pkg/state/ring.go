package state

import "slices"

// Ring holds the last Limit values in order. The zero Ring holds nothing until
// Limit is set.
type Ring[V any] struct {
	Limit int
	items []V
	start int
}

// Len returns the number of values held.
func (r *Ring[V]) Len() int { return len(r.items) }

// Push adds a value as the newest, dropping the oldest when full, and returns
// what was dropped.
func (r *Ring[V]) Push(v V) (dropped V, full bool) {
	if len(r.items) < r.Limit {
		r.items = append(r.items, v)
		return dropped, false
	}
	if r.Limit == 0 {
		return v, true
	}
	dropped = r.items[r.start]
	r.items[r.start] = v
	r.start = (r.start + 1) % r.Limit
	return dropped, true
}

// Back returns the i-th newest value, 0 being the newest. It panics past Len.
func (r *Ring[V]) Back(i int) *V {
	n := len(r.items)
	if i < 0 || i >= n {
		panic("state: ring index out of range")
	}
	return &r.items[(r.start+n-1-i)%n]
}

// Remove takes out the i-th newest value and returns it, in O(Limit). It
// panics past Len.
func (r *Ring[V]) Remove(i int) V {
	v := *r.Back(i)
	if r.start != 0 {
		r.items = slices.Concat(r.items[r.start:], r.items[:r.start])
		r.start = 0
	}
	at := len(r.items) - 1 - i
	r.items = slices.Delete(r.items, at, at+1)
	return v
}

// Clear forgets all values and keeps their memory.
func (r *Ring[V]) Clear() {
	clear(r.items)
	r.items, r.start = r.items[:0], 0
}
