package stats

import "math"

// AtMost returns the largest rate that is still compatible with k of n at 95 %
// confidence, the upper end of Clopper and Pearson's one-sided interval: 0 of
// 52 is at most 0.056, never 0. It is 1 where n is 0.
func AtMost(k, n int) float64 {
	if k >= n {
		return 1
	}
	return solve(func(p float64) float64 { return atMost(k, n, p) })
}

// AtLeast returns the smallest rate that is still compatible with k of n at
// 95 % confidence, 0 where k is 0.
func AtLeast(k, n int) float64 {
	if k <= 0 {
		return 0
	}
	return 1 - AtMost(n-k, n)
}

// solve finds the rate at which a falling probability reaches 5 %.
func solve(chance func(float64) float64) float64 {
	lo, hi := 0.0, 1.0
	for range 60 {
		if p := (lo + hi) / 2; chance(p) > 0.05 {
			lo = p
		} else {
			hi = p
		}
	}
	return hi
}

// atMost is the chance that at most k of n happen, each with probability p.
func atMost(k, n int, p float64) float64 {
	sum := 0.0
	for i := 0; i <= k; i++ {
		a, _ := math.Lgamma(float64(n + 1))
		b, _ := math.Lgamma(float64(i + 1))
		c, _ := math.Lgamma(float64(n - i + 1))
		sum += math.Exp(a - b - c + float64(i)*math.Log(p) + float64(n-i)*math.Log1p(-p))
	}
	return sum
}
