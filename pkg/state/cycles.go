package state

import "github.com/loopwatch/loopwatch/internal/features"

// Cycles counts, for every period up to MaxPeriod, how many entries in a row
// equal the entry one period before. One Push costs O(MaxPeriod).
type Cycles struct {
	Items Ring[Lap]
	Match [MaxPeriod + 1]uint32 // by period; 0 is unused
}

// Lap is one entry of the sequence.
type Lap struct {
	Hash features.Hash
	Ref  Ref
}

// Push adds an entry.
func (c *Cycles) Push(h features.Hash, ref Ref) {
	c.Items.Limit = MaxSteps
	for p := 1; p <= MaxPeriod; p++ {
		if p <= c.Items.Len() && c.Items.Back(p-1).Hash == h {
			c.Match[p]++
		} else {
			c.Match[p] = 0
		}
	}
	c.Items.Push(Lap{Hash: h, Ref: ref})
}

// Period returns the shortest period in [shortest, longest] whose last laps
// laps are complete and equal, 0 where there is none. A sequence that already
// repeats with a period below shortest is not a cycle of a longer one.
func (c *Cycles) Period(shortest, longest, laps int) int {
	for p := shortest; p <= min(longest, MaxPeriod); p++ {
		if int(c.Match[p]) >= p*(laps-1) && !c.repeatsBelow(shortest, p*laps) {
			return p
		}
	}
	return 0
}

// repeatsBelow reports whether the last span entries repeat with a period
// shorter than shortest.
func (c *Cycles) repeatsBelow(shortest, span int) bool {
	for d := 1; d < shortest; d++ {
		if int(c.Match[d]) >= span-d {
			return true
		}
	}
	return false
}

// Cause returns a hash of the last period entries that does not depend on
// where the cycle is entered: equal up to rotation.
func (c *Cycles) Cause(period int) features.Hash {
	best := 0
	at := func(start, i int) features.Hash { return c.Items.Back(period - 1 - (start+i)%period).Hash }
	for s := 1; s < period; s++ {
		for i := range period {
			if a, b := at(s, i), at(best, i); a != b {
				if a < b {
					best = s
				}
				break
			}
		}
	}
	h := uint64(14695981039346656037)
	for i := range period {
		h = (h ^ uint64(at(best, i))) * 1099511628211
	}
	return features.Hash(h | 1)
}

// Clear forgets the sequence.
func (c *Cycles) Clear() { *c = Cycles{} }
