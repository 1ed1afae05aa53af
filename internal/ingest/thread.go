package ingest

import (
	"cmp"
	"errors"
	"strings"
	"time"

	"github.com/loopwatch/loopwatch/pkg/events"
)

// answer adds a line to the response it belongs to. A response is told when
// something else follows; calls that come after their siblings' results still
// belong to its round.
func (th *thread) answer(l *sessionLine, m *anthropicMessage, at where, when time.Time) error {
	id := cmp.Or(m.ID, l.RequestID, l.UUID)
	parts, err := split(m.Content, at)
	if id != "" && id == th.told && th.held == nil {
		return errors.Join(err, uses(th.run, parts, at, when))
	}
	faults := []error{err}
	if th.held == nil || th.held.id != id || id == "" {
		faults = append(faults, th.flush())
		th.held = &held{id: id, when: when, turn: events.Turn{Compacted: th.compact}}
		th.compact = false
	}
	h := th.held
	h.turn.Model = cmp.Or(m.Model, h.turn.Model)
	if u := m.Usage.tokens(); u != nil {
		h.turn.Usage, h.turn.CostUSD = u, m.Usage.cost() // the last line counts it all
	}
	if text, _ := texts(m.Content); text != "" {
		h.text = append(h.text, text)
	}
	for i, p := range parts {
		h.calls = append(h.calls, heldCall{part: p, at: at.item(i)})
	}
	if len(h.calls) > maxOpen {
		faults = append(faults, th.flush())
	}
	return errors.Join(faults...)
}

// flush tells the response in hand.
func (th *thread) flush() error {
	h := th.held
	if h == nil {
		return nil
	}
	th.held, th.told = nil, h.id
	h.turn.Text = strings.Join(h.text, "\n")
	faults := []error{th.run.turn(h.turn, h.when)}
	for _, c := range h.calls {
		faults = append(faults, use(th.run, c.part, c.at, h.when))
	}
	return errors.Join(faults...)
}
