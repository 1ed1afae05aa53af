package demo

import (
	"github.com/loopwatch/loopwatch/pkg/actions"
)

// Line is what became of one agent.
type Line struct {
	fleet *Fleet

	Kind, Run    string
	Loops        bool // left alone it would have gone on to the turn limit
	Turns        int
	Spent        float64 // US dollars
	Last         string  // tool called last
	Calls        int     // asked for
	Executed     int     // of them executed; the rest was answered from the first result
	Observations int
	Detector     string // that halted it
	Why          string
	Status       string // empty while it lives
}

func (l *Line) update(f func()) {
	l.fleet.mu.Lock()
	defer l.fleet.mu.Unlock()
	f()
}

func (l *Line) turn(n int, cost float64) { l.update(func() { l.Turns = n; l.Spent += cost }) }
func (l *Line) did(tool string)          { l.update(func() { l.Last = tool; l.Calls++ }) }
func (l *Line) executed()                { l.update(func() { l.Executed++ }) }

func (l *Line) halt(c actions.Control) {
	l.update(func() {
		l.Detector, l.Why = c.Detector, c.Summary
		if c.EndStatus != nil {
			l.Status = *c.EndStatus
		}
	})
}

func (l *Line) end(status string, told int) {
	l.update(func() {
		l.Observations = told
		if l.Status == "" {
			l.Status = status
		}
	})
}

// Recovered reports whether the agent got out of a loop after it was told.
func (l Line) Recovered() bool { return l.Observations > 0 && l.Detector == "" && l.Status == "done" }

// Saved returns the turns that an agent which would have gone on did not take,
// and what they would have cost. The assumption: left alone, it goes on to the
// turn limit, each turn at the price of its place in the transcript.
func (l Line) Saved() (turns int, usd float64) {
	if !l.Loops || l.Status == "" || l.Detector == "" && !l.Recovered() {
		return 0, 0
	}
	for n := l.Turns + 1; n <= turnLimit; n++ {
		turns++
		usd += costOf(n)
	}
	return turns, usd
}
