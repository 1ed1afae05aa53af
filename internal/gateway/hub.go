package gateway

import (
	"strings"
	"sync"

	"github.com/nats-io/nats.go"

	"github.com/loopwatch/loopwatch/internal/natsbus"
	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
)

// hub takes the verdicts and controls of all runs through two subscriptions
// and hands each to whoever waits for it. What nobody waits for is not looked
// at; what no trusted key signed is not believed.
type hub struct {
	trusted actions.KeyRing
	forged  func() // counts

	mu      sync.Mutex
	asked   map[string][]*question // by the subject of the verdict
	waiting map[string]waiters     // by the subject of the controls
}

type waiters map[*waiter]struct{}

// question is one check whose verdict is awaited.
type question struct {
	event  string
	answer chan []byte // takes one, as it was signed
}

// waiter is one poll for the controls of a run.
type waiter struct {
	wake chan struct{} // has a token when something is new

	mu   sync.Mutex
	live []control
}

// control is an acted control as it was signed.
type control struct {
	id  string
	seq uint64 // in the decision log; 0 where it was not read from there
	raw []byte
}

// listen subscribes for everything of everybody.
func (h *hub) listen(nc *nats.Conn) ([]*nats.Subscription, error) {
	var subs []*nats.Subscription
	for subject, take := range map[string]nats.MsgHandler{
		events.VerdictSubject("*", "*", "*", "*"): h.onVerdict,
		events.ControlSubject("*", "*", "*"):      h.onControl,
	} {
		s, err := nc.Subscribe(subject, take)
		if err != nil {
			return subs, err
		}
		subs = append(subs, s)
		if err := s.SetPendingLimits(1<<20, 256<<20); err != nil {
			return subs, err
		}
	}
	return subs, nil
}

// ask awaits the verdict of an event; forget it.
func (h *hub) ask(subject, event string) (q *question, forget func()) {
	q = &question{event: event, answer: make(chan []byte, 1)}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.asked[subject] = append(h.asked[subject], q)
	return q, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		left := h.asked[subject][:0:0]
		for _, o := range h.asked[subject] {
			if o != q {
				left = append(left, o)
			}
		}
		if h.asked[subject] = left; len(left) == 0 {
			delete(h.asked, subject)
		}
	}
}

func (h *hub) onVerdict(m *nats.Msg) {
	h.mu.Lock()
	asked := h.asked[m.Subject]
	h.mu.Unlock()
	if len(asked) == 0 {
		return
	}
	v, err := h.verdict(m)
	if err != nil {
		h.forged()
		return
	}
	for _, q := range asked {
		if q.event != v.Event {
			continue
		}
		select {
		case q.answer <- m.Data:
		default: // it has one
		}
	}
}

func (h *hub) verdict(m *nats.Msg) (actions.Verdict, error) {
	if err := h.trusted.Verify(actions.DomainVerdict, m.Subject, m.Data, m.Header.Get(actions.SignatureHeader)); err != nil {
		return actions.Verdict{}, err
	}
	return actions.DecodeVerdict(m.Data)
}

// wait awaits the controls on a subject; forget it.
func (h *hub) wait(subject string) (x *waiter, forget func()) {
	x = &waiter{wake: make(chan struct{}, 1)}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.waiting[subject] == nil {
		h.waiting[subject] = waiters{}
	}
	h.waiting[subject][x] = struct{}{}
	return x, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		if delete(h.waiting[subject], x); len(h.waiting[subject]) == 0 {
			delete(h.waiting, subject)
		}
	}
}

func (h *hub) onControl(m *nats.Msg) {
	h.mu.Lock()
	waited := len(h.waiting[m.Subject]) > 0
	h.mu.Unlock()
	if !waited {
		return
	}
	c, ok := h.genuine(m.Subject, m.Data, m.Header)
	if !ok {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for x := range h.waiting[m.Subject] {
		x.add(c)
	}
}

// genuine returns an acted control that a trusted key signed for the live
// subject it is meant for.
func (h *hub) genuine(subject string, data []byte, header nats.Header) (control, bool) {
	if h.trusted.Verify(actions.DomainControl, subject, data, header.Get(actions.SignatureHeader)) != nil {
		h.forged()
		return control{}, false
	}
	c, err := actions.DecodeControl(data)
	if err != nil || c.Reason != actions.Acted || events.ControlSubject(c.Tenant, c.Agent, c.Run) != subject {
		h.forged()
		return control{}, false
	}
	return control{id: c.ID, raw: data}, true
}

// wakeAll makes every poll look into the decision log: something may have been
// missed.
func (h *hub) wakeAll() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, xs := range h.waiting {
		for x := range xs {
			x.signal()
		}
	}
}

func (x *waiter) add(c control) {
	x.mu.Lock()
	x.live = append(x.live, c)
	x.mu.Unlock()
	x.signal()
}

func (x *waiter) signal() {
	select {
	case x.wake <- struct{}{}:
	default:
	}
}

// take returns what arrived live since it was last called.
func (x *waiter) take() []control {
	x.mu.Lock()
	defer x.mu.Unlock()
	live := x.live
	x.live = nil
	return live
}

// recorded is a record of a decision log as the control it is.
func (h *hub) recorded(subject string, r natsbus.Record) (control, bool) {
	if !strings.HasPrefix(r.Subject, "lw.ctlp.") {
		return control{}, false
	}
	c, ok := h.genuine(subject, r.Data, r.Header)
	c.seq = r.Seq
	return c, ok
}
