package stats

import (
	"math"
	"testing"
)

// The figures are those of published tables of exact binomial bounds.
func TestBounds(t *testing.T) {
	for _, tt := range []struct {
		k, n            int
		atLeast, atMost float64
	}{
		{0, 52, 0, 0.0560},
		{0, 3, 0, 0.6316},
		{1, 10, 0.0051, 0.3942},
		{5, 10, 0.2224, 0.7776},
		{10, 10, 0.7411, 1},
		{0, 0, 0, 1},
	} {
		if lo, hi := AtLeast(tt.k, tt.n), AtMost(tt.k, tt.n); math.Abs(lo-tt.atLeast) > 5e-4 || math.Abs(hi-tt.atMost) > 5e-4 {
			t.Errorf("%d of %d: %.4f to %.4f, want %.4f to %.4f", tt.k, tt.n, lo, hi, tt.atLeast, tt.atMost)
		}
	}
}

func TestBoundsHoldTheRate(t *testing.T) {
	for n := 1; n <= 300; n += 13 {
		for k := 0; k <= n; k += 1 + n/9 {
			rate := float64(k) / float64(n)
			if lo, hi := AtLeast(k, n), AtMost(k, n); lo > rate || hi < rate || math.IsNaN(lo+hi) {
				t.Errorf("%d of %d: %v to %v", k, n, lo, hi)
			}
		}
	}
}
