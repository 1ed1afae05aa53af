package gateway

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/loopwatch/loopwatch/internal/natsbus"
	"github.com/loopwatch/loopwatch/pkg/events"
)

// Bounds of how long a poll waits.
const (
	defaultWait = 30 * time.Second
	longestWait = time.Minute
)

// readers is how many decision logs are read at the same time.
const readers = 64

// polled is the answer to a poll.
type polled struct {
	Controls []jsontext.Value `json:"controls"` // in the order they were logged
	After    string           `json:"after"`    // where the next poll goes on
}

// poll is one question for the controls of a run.
type poll struct {
	tenant, agent, run string
	partition          int
	after              uint64 // last sequence of the decision log that the caller knows
}

func (p *poll) live() string { return events.ControlSubject(p.tenant, p.agent, p.run) }

// getControl answers with the controls of a run that are new, as soon as there
// are some, and with none when the wait is over. Live messages only say that
// it is time to look into the log, so that none is missed; a control that is
// sent again is handed out again.
func (g *Gateway) getControl(w http.ResponseWriter, r *http.Request, who Caller) error {
	wait, err := pollWait(r)
	if err != nil {
		return err
	}
	p, err := g.pollOf(r, who)
	if err != nil {
		return err
	}
	if !g.polls.take(1) {
		return &Fault{Status: http.StatusTooManyRequests, Code: "busy", Message: "too many polls are waiting", Retry: 5}
	}
	defer g.polls.give(1)
	x, forget := g.hub.wait(p.live())
	defer forget()
	if err := g.position(r.Context(), p, r.URL.Query().Get("after")); err != nil {
		return err
	}
	found, err := g.await(r.Context(), p, x, wait)
	if err != nil {
		return err
	}
	out := polled{Controls: []jsontext.Value{}, After: strconv.FormatUint(p.after, 10)}
	for _, c := range found {
		out.Controls = append(out.Controls, c.raw)
	}
	return answer(w, http.StatusOK, out)
}

// await returns new controls, or none when there is no more waiting. It moves
// p.after.
func (g *Gateway) await(ctx context.Context, p *poll, x *waiter, wait time.Duration) ([]control, error) {
	over := time.NewTimer(wait)
	defer over.Stop()
	for {
		found, err := g.look(ctx, p)
		if err != nil {
			return nil, g.unread(ctx, err)
		}
		if found = beside(found, x.take()); len(found) > 0 {
			return found, nil
		}
		select {
		case <-x.wake:
		case <-over.C:
			return nil, nil
		case <-ctx.Done():
			return nil, nil
		case <-g.stopping:
			return nil, nil
		}
	}
}

// look reads what the decision log holds behind p.after, and moves there.
func (g *Gateway) look(ctx context.Context, p *poll) ([]control, error) {
	select {
	case g.readers <- struct{}{}:
		defer func() { <-g.readers }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	var found []control
	subject := events.ControlLogSubject(p.partition, p.tenant, p.agent, p.run)
	err := g.bus.LogOfFrom(ctx, p.partition, subject, p.after+1, func(r natsbus.Record) bool {
		p.after = r.Seq
		if c, ok := g.hub.recorded(p.live(), r); ok {
			found = append(found, c)
		}
		return len(found) < mostControls
	})
	return found, err
}

// mostControls bounds one answer; the next poll goes on behind it.
const mostControls = 100

// beside adds what arrived live and is not among what was read.
func beside(found, live []control) []control {
	known := map[string]bool{}
	for _, c := range found {
		known[c.id] = true
	}
	for _, c := range live {
		if !known[c.id] {
			known[c.id] = true
			found = append(found, c)
		}
	}
	return found
}

// position sets p.after to what the caller says it knows: a place of an
// earlier answer, the id of a control, or nothing, which means from now on.
func (g *Gateway) position(ctx context.Context, p *poll, after string) error {
	if !g.conn.IsConnected() {
		return busAway()
	}
	if seq, err := strconv.ParseUint(after, 10, 63); err == nil {
		p.after = seq
		return g.within(ctx, p)
	}
	if after == "" {
		s, err := g.bus.LogState(ctx, p.partition)
		p.after = s.Last
		return g.unread(ctx, err)
	}
	found := false
	subject := events.ControlLogSubject(p.partition, p.tenant, p.agent, p.run)
	err := g.bus.LogOf(ctx, p.partition, subject, func(r natsbus.Record) bool {
		c, ok := g.hub.recorded(p.live(), r)
		p.after, found = r.Seq, ok && c.id == after
		return !found
	})
	if err == nil && !found {
		return unknownAfter("the run has no control of this id")
	}
	return g.unread(ctx, err)
}

func unknownAfter(message string) *Fault {
	return &Fault{
		Status: http.StatusGone, Code: "unknown_after", Message: message,
		Hint: "say hello again (run_start to /v1/check) and poll from its " + AfterHeader + "; task must be the run's own",
	}
}

// within refuses a place that the decision log has not reached: it is one of
// another log, such as that of a bus made anew, and everything before it would
// be missed. How far a log is known to reach is kept while the bus stays.
func (g *Gateway) within(ctx context.Context, p *poll) error {
	reached := &g.reached[p.partition]
	if p.after <= reached.Load() {
		return nil
	}
	s, err := g.bus.LogState(ctx, p.partition)
	if err != nil {
		return g.unread(ctx, err)
	}
	reached.Store(s.Last)
	if p.after > s.Last {
		return unknownAfter("the decision log has not come as far as this place")
	}
	return nil
}

// standing is where the decision log of an event's partition stands.
func (g *Gateway) standing(ctx context.Context, e *events.Event) (string, error) {
	if !g.conn.IsConnected() {
		return "", busAway()
	}
	s, err := g.bus.LogState(ctx, events.Partition(e.Tenant, e.Task, g.bus.Partitions()))
	return strconv.FormatUint(s.Last, 10), g.unread(ctx, err)
}

// unread says why the decision log could not be read; nil for nil.
func (g *Gateway) unread(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case !g.conn.IsConnected():
		return busAway()
	case errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil:
		return &Fault{Status: http.StatusServiceUnavailable, Code: "bus_away", Message: "the bus did not answer in time", Retry: 1}
	}
	return err
}

// pollWait is how long the caller waits for something new.
func pollWait(r *http.Request) (time.Duration, error) {
	text := r.URL.Query().Get("wait")
	if text == "" {
		return defaultWait, nil
	}
	if strings.Trim(text, "0123456789") == "" {
		text += "s"
	}
	if d, err := time.ParseDuration(text); err == nil && d >= 0 && d <= longestWait {
		return d, nil
	}
	return 0, badQuery("wait", "want 0s to "+longestWait.String())
}

// pollOf reads which run is asked about; the defaults are those of an event.
func (g *Gateway) pollOf(r *http.Request, who Caller) (*poll, error) {
	q := r.URL.Query()
	s, err := who.Narrow(events.Scope{Tenant: q.Get("tenant"), Agent: q.Get("agent"), Task: q.Get("task"), Run: r.PathValue("run")})
	if err != nil {
		return nil, err
	}
	p := &poll{tenant: or(s.Tenant, events.DefaultTenant), agent: or(s.Agent, events.DefaultAgent), run: s.Run}
	p.partition = events.Partition(p.tenant, or(s.Task, s.Run), g.bus.Partitions())
	return p, nil
}

func or(s, fallback string) string {
	if s == "" {
		return fallback
	}
	return s
}
