package stats

// Line is the least-squares line through the points added so far. The zero
// Line has none.
type Line struct {
	N            int
	X, Y, XX, XY float64 // sums
}

// Add takes in one point.
func (l *Line) Add(x, y float64) {
	l.N++
	l.X += x
	l.Y += y
	l.XX += x * x
	l.XY += x * y
}

// Fit returns intercept and slope. Where the points are fewer than two or all
// at one x, the slope is 0 and the intercept their mean.
func (l *Line) Fit() (a, b float64) {
	if l.N == 0 {
		return 0, 0
	}
	n := float64(l.N)
	if d := n*l.XX - l.X*l.X; l.N > 1 && d > 1e-9*n*l.XX {
		b = (n*l.XY - l.X*l.Y) / d
	}
	return (l.Y - b*l.X) / n, b
}
