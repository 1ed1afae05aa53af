package report

import (
	"cmp"
	"slices"
	"time"
)

// Rates is the guard-fire rate: runs in which a detector acted, for each run
// that was closed. A run counts once, under the detector that acted first.
type Rates struct {
	Bucket  string  `json:"bucket"` // width of a point
	Agents  []Agent `json:"agents"` // the highest rate first
	Overall Fire    `json:"overall"`
}

// Agent is one kind of worker.
type Agent struct {
	Agent     string         `json:"agent"`
	Total     Fire           `json:"total"`
	Detectors map[string]int `json:"detectors"` // runs fired, by the detector that acted first
	Points    []Point        `json:"points"`    // oldest first, without those in which nothing happened
}

// Fire is a rate.
type Fire struct {
	Fired  int     `json:"fired"`
	Closed int     `json:"closed"`
	Rate   float64 `json:"rate"` // fired / closed; above 1 where runs that fired have not closed yet, 0 where none closed
}

// Point is the rate within one bucket.
type Point struct {
	Time time.Time `json:"time"` // where the bucket begins
	Fire
	Detectors map[string]int `json:"detectors"`
}

type rates struct {
	width  time.Duration
	agents map[string]map[int64]*Point
}

// mostAgents bounds the agents told apart.
const mostAgents = 200

func (r *rates) point(agent string, ms int64) *Point {
	if r.agents == nil {
		r.agents = map[string]map[int64]*Point{}
	}
	if r.agents[agent] == nil && len(r.agents) >= mostAgents {
		agent = other
	}
	if r.agents[agent] == nil {
		r.agents[agent] = map[int64]*Point{}
	}
	at := ms - ms%max(r.width.Milliseconds(), 1)
	p := r.agents[agent][at]
	if p == nil {
		p = &Point{Time: time.UnixMilli(at).UTC(), Detectors: map[string]int{}}
		r.agents[agent][at] = p
	}
	return p
}

func (r *rates) closed(agent string, ms int64) { r.point(agent, ms).Closed++ }

func (r *rates) fired(agent, detector string, ms int64) {
	p := r.point(agent, ms)
	p.Fired++
	p.Detectors[detector]++
}

func (r *rates) result() Rates {
	out := Rates{Bucket: span(r.width), Agents: []Agent{}}
	for name, points := range r.agents {
		a := Agent{Agent: name, Detectors: map[string]int{}, Points: []Point{}}
		for _, p := range points {
			p.Rate = ratio(p.Fired, p.Closed)
			a.Points = append(a.Points, *p)
			a.Total.Fired += p.Fired
			a.Total.Closed += p.Closed
			for d, n := range p.Detectors {
				a.Detectors[d] += n
			}
		}
		a.Total.Rate = ratio(a.Total.Fired, a.Total.Closed)
		out.Overall.Fired += a.Total.Fired
		out.Overall.Closed += a.Total.Closed
		slices.SortFunc(a.Points, func(x, y Point) int { return x.Time.Compare(y.Time) })
		out.Agents = append(out.Agents, a)
	}
	out.Overall.Rate = ratio(out.Overall.Fired, out.Overall.Closed)
	slices.SortFunc(out.Agents, func(a, b Agent) int {
		return cmp.Or(cmp.Compare(b.Total.Rate, a.Total.Rate), cmp.Compare(a.Agent, b.Agent))
	})
	return out
}
