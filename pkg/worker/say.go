package worker

import (
	"crypto/rand"
	"fmt"

	"github.com/nats-io/nats.go"

	"github.com/loopwatch/loopwatch/pkg/events"
)

// Turn reports one model response and opens the round that its tool calls
// belong to. What is too long is cut; a state becomes its hash.
func (r *Run) Turn(t events.Turn) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.usable(); err != nil {
		return err
	}
	if _, err := r.say(events.Event{Kind: events.TurnKind, Round: r.round + 1, Turn: &t}, nil); err != nil {
		return err
	}
	r.round, r.answered = r.round+1, false
	return nil
}

// Message reports text to or from the user (role `assistant` or `user`), or to
// another run (to).
func (r *Run) Message(role, to, text string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.usable(); err != nil {
		return err
	}
	_, err := r.say(events.Event{Kind: events.Said, Message: &events.Message{Role: role, To: to, Text: text}}, nil)
	return err
}

// say gives an event its identity and place, hides what must not leave the
// worker, cuts what is too long, shows it
// to the guard and queues it. What no processor would take is an error here,
// and nothing has been said. The caller holds mu.
func (r *Run) say(e events.Event, check *events.Check) (events.Event, error) {
	id, err := events.NewID(r.cfg.Now(), rand.Reader)
	if err != nil {
		return e, fmt.Errorf("name event: %w", err)
	}
	e.V, e.ID, e.Time, e.Origin = events.Version, id, r.cfg.Now().UTC(), events.FromAgent
	e.Tenant, e.Agent, e.Task, e.Run, e.Parent = r.cfg.Tenant, r.cfg.Agent, r.cfg.Task, r.cfg.Run, r.cfg.Parent
	if e.Kind != events.RunStart || r.seq > 0 {
		e.Seq = r.seq + 1
	}
	r.hide(&e)
	body, err := fit(&e, r.cfg.MaxContent)
	if err != nil {
		return e, fmt.Errorf("report %s: %w", e.Kind, err)
	}
	r.seq = max(r.seq, e.Seq)
	if r.guard != nil {
		r.guard.see(e)
	}
	m := nats.NewMsg(events.EventSubject(e.Tenant, e.Agent, e.Task, e.Run))
	m.Data = body
	m.Header.Set(events.HeaderMsgID, e.ID)
	if check != nil {
		m.Header.Set(events.HeaderCheck, check.String())
	}
	r.sender.add(m, e.Kind == events.RunEnd || e.Kind == events.ControlAck)
	return e, nil
}
