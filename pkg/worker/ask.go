package worker

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"time"

	"github.com/loopwatch/loopwatch/internal/engine"
	"github.com/loopwatch/loopwatch/pkg/events"
)

// question is one check, or a hello, that was asked and not answered. It
// outlives its asker: a late answer decides nothing any more, but its controls
// are obeyed.
type question struct {
	said   events.Event  // without the arguments of a call
	own    engine.Answer // the guard's
	place  uint64        // of the event in the guard
	answer chan ruling   // takes one
}

// ruling is what became of a question.
type ruling struct {
	said    events.Event
	replay  *Output // nil means go on
	guarded bool    // no answer came in time
}

// questions are the open ones by token, the newest of them.
type questions struct {
	byToken map[string]*question
	order   []string
}

// maxQuestions bounds the questions whose answers may still come.
const maxQuestions = 256

func (q *questions) add(token string, x *question) {
	if q.byToken == nil {
		q.byToken = map[string]*question{}
	}
	q.byToken[token] = x
	if q.order = append(q.order, token); len(q.order) > maxQuestions {
		delete(q.byToken, q.order[0])
		q.order = q.order[1:]
	}
}

// take returns the question that an answer belongs to, once.
func (q *questions) take(token, event string) *question {
	x := q.byToken[token]
	if x == nil || x.said.ID != event {
		return nil
	}
	delete(q.byToken, token)
	q.order = slices.DeleteFunc(q.order, func(t string) bool { return t == token })
	return x
}

// helloDeadline is until when the answer to a hello is of use. It tells the
// server's time, in which the deadlines of checks are told from then on, so it
// must come although the clocks are apart, by as much as this.
const helloDeadline = 24 * time.Hour

// ask says an event that is a question and waits for the answer: the bus's
// within Config.Wait, else the guard's. Without a connection nobody answers,
// so nothing is waited for.
func (r *Run) ask(ctx context.Context, e events.Event) (ruling, error) {
	q, err := r.pose(e)
	if err != nil {
		return ruling{}, err
	}
	wait := r.cfg.Wait
	if !r.cfg.Conn.IsConnected() {
		wait = 0
	}
	timeout := time.NewTimer(wait)
	defer timeout.Stop()
	select {
	case v := <-q.answer:
		return r.unlessHalted(v)
	case <-r.stopped:
		return r.unlessHalted(ruling{})
	case <-r.sender.done:
		return ruling{}, r.ended()
	case <-ctx.Done():
		return ruling{}, fmt.Errorf("wait for a verdict: %w", ctx.Err())
	case <-timeout.C:
	}
	return r.decide(q)
}

// pose says the question.
func (r *Run) pose(e events.Event) (*question, error) {
	token, err := events.NewID(r.cfg.Now(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("name check: %w", err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.usable(); err != nil {
		return nil, err
	}
	deadline := r.serverTime().Add(r.cfg.Wait)
	if e.Kind == events.RunStart {
		deadline = deadline.Add(helloDeadline)
	}
	if e.Call != nil {
		e.Round = r.place(e.Call)
	}
	q := &question{answer: make(chan ruling, 1)}
	r.asked.add(token, q)
	if q.said, err = r.say(e, &events.Check{Token: token, Deadline: deadline}); err != nil {
		r.asked.take(token, q.said.ID)
		return nil, err
	}
	if e.Call != nil {
		r.counted(e.Round)
		q.said.Call = &events.Call{ID: e.Call.ID, Tool: e.Call.Tool}
	}
	if r.guard != nil {
		q.own, q.place = r.guard.answer, r.guard.seq
	}
	return q, nil
}

// unlessHalted returns a ruling, or that the run was halted meanwhile.
func (r *Run) unlessHalted(v ruling) (ruling, error) {
	if h := r.Halted(); h != nil {
		return ruling{}, h
	}
	return v, nil
}

// ended says how a run that let go of the bus had ended.
func (r *Run) ended() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.usable()
}

// serverTime is what time it is for whoever answers. The caller holds mu.
func (r *Run) serverTime() time.Time { return r.cfg.Now().Add(r.skew) }
