package report

import (
	"math"
	"time"
)

// line is an agent's rate over time as a picture: X in percent of the width, Y
// in user units from the top.
type line struct {
	Dots     []dot
	From, To string
	Top      string // rate at the upper edge
	Height   int
}

type dot struct {
	X, Y  float64
	Title string
}

const lineHeight = 60

// mostDots bounds a picture; the newest points are shown.
const mostDots = 200

// trend pictures the points of one agent, oldest left.
func trend(points []Point) line {
	points = points[max(0, len(points)-mostDots):]
	l := line{Height: lineHeight}
	if len(points) == 0 {
		return l
	}
	first, last := points[0].Time, points[len(points)-1].Time
	top := 1.0
	for _, p := range points {
		top = math.Max(top, p.Rate)
	}
	span := float64(last.Sub(first))
	for _, p := range points {
		x := 50.0
		if span > 0 {
			x = 3 + 94*float64(p.Time.Sub(first))/span
		}
		l.Dots = append(l.Dots, dot{
			X: x, Y: lineHeight - 4 - (lineHeight-8)*p.Rate/top,
			Title: p.Time.Format(time.DateTime) + ": " + share(p.Fired, p.Closed),
		})
	}
	l.From, l.To, l.Top = first.Format("01-02 15:04"), last.Format("01-02 15:04"), percent(top)
	return l
}

// Next returns the dot behind the i-th, for the stroke between them; the same
// at the end.
func (l line) Next(i int) dot { return l.Dots[min(i+1, len(l.Dots)-1)] }
