package report

import (
	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/state"
)

// Course follows one run for what it will not have spent, as the report of
// savings reckons it, while the run goes on. It remembers no text and a bounded
// number of figures. The zero Course has seen nothing; it must see the run from
// its first event on, or it thinks the run younger than it is.
type Course struct {
	books Collector
	run   run
}

// Event takes in an event of the run that was applied and is no duplicate.
func (c *Course) Event(e *events.Event) {
	r := &c.run
	r.lastID, r.lastKind = append(r.lastID[:0], e.ID...), e.Kind
	if e.Round > r.turn.round && e.Kind != events.RunEnd {
		c.books.endTurn(r)
		r.turn = turn{round: e.Round}
	}
	if e.Turn != nil {
		r.price(e)
	}
}

// Decision takes in a decision about the run, behind the event that caused it.
func (c *Course) Decision(m *actions.Message) {
	if c.run.state == nil {
		c.run.state = new(state.Run)
	}
	c.books.decided(&c.run, m)
}

// End closes the run with the status it ended with, lost where it said nothing
// more, and returns what it did not spend up to its own limits: no runs where
// nobody stopped it or turned it round, or where that cannot be known.
func (c *Course) End(status string, limits, granted events.Limits) Saved {
	c.books.endTurn(&c.run)
	c.run.state = &state.Run{Limits: limits, Granted: granted}
	var s savings
	s.add(&c.run, status)
	return s.halted.plus(s.recovered)
}
