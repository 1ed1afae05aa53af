package stats

import (
	"math"
	"testing"
)

func TestLine(t *testing.T) {
	for _, tt := range []struct {
		name   string
		points [][2]float64
		a, b   float64
	}{
		{"nothing", nil, 0, 0},
		{"one point", [][2]float64{{3, 7}}, 7, 0},
		{"all at one place", [][2]float64{{3, 7}, {3, 9}}, 8, 0},
		{"growth", [][2]float64{{1, 0.0045}, {2, 0.006}, {3, 0.0075}}, 0.003, 0.0015},
		{"far from the origin", [][2]float64{{1000, 5}, {1001, 7}}, -1995, 2},
		{"scatter", [][2]float64{{1, 2}, {2, 2}, {3, 5}}, 0, 1.5},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var l Line
			for _, p := range tt.points {
				l.Add(p[0], p[1])
			}
			if a, b := l.Fit(); math.Abs(a-tt.a) > 1e-3*max(1, math.Abs(tt.a)) || math.Abs(b-tt.b) > 1e-3 {
				t.Errorf("%v + %v n, want %v + %v n", a, b, tt.a, tt.b)
			}
		})
	}
}
