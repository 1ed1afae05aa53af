package gateway

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
)

// Bounds of how long a check may wait for its verdict.
const (
	defaultDeadline = 2 * time.Second
	longestDeadline = 30 * time.Second
)

// helloSlack is how much later than the caller's the deadline of a hello is on
// the bus: its answer tells the processor's time, by which the deadlines of
// checks are told from then on, so it must come although the clocks differ.
const helloSlack = 24 * time.Hour

// AfterHeader carries, in the answer to a hello, where a poll for controls goes
// on from so that it misses none.
const AfterHeader = "Lw-After"

// postCheck stores an event that is a question and answers with its verdict.
func (g *Gateway) postCheck(w http.ResponseWriter, r *http.Request, who Caller) error {
	wait, err := deadline(r)
	if err != nil {
		return err
	}
	body, done, err := g.read(w, r)
	if err != nil {
		return err
	}
	defer done()
	it, err := g.admitOne(who, body)
	var rej *events.Reject
	if errors.As(err, &rej) {
		return &Fault{Status: http.StatusBadRequest, Code: "invalid", Message: string(rej.Reason) + ": " + rej.Detail, Hint: "nothing was accepted"}
	}
	if err != nil {
		return err
	}
	if it.event.Kind != events.ToolCall && it.event.Kind != events.RunStart {
		return &Fault{
			Status: http.StatusBadRequest, Code: "no_question", Message: "only a tool_call and a run_start are answered",
			Hint: "send other events to /v1/events",
		}
	}
	ctx, cancel := context.WithTimeout(r.Context(), wait)
	defer cancel()
	began := time.Now()
	verdict, after, err := g.ask(ctx, &it, wait)
	if after != "" { // a hello that nobody answered has its place in the log, too
		w.Header().Set(AfterHeader, after)
	}
	if err != nil {
		return err
	}
	g.metrics.checks.Observe(time.Since(began).Seconds())
	return answerRaw(w, http.StatusOK, verdict)
}

// deadline is how long the caller waits.
func deadline(r *http.Request) (time.Duration, error) {
	text := r.URL.Query().Get("deadline_ms")
	if text == "" {
		return defaultDeadline, nil
	}
	ms, err := strconv.Atoi(text)
	if d := time.Duration(ms) * time.Millisecond; err == nil && d > 0 && d <= longestDeadline {
		return d, nil
	}
	return 0, badQuery("deadline_ms", "want 1 to "+strconv.FormatInt(longestDeadline.Milliseconds(), 10))
}

func badQuery(name, rule string) *Fault {
	return &Fault{Status: http.StatusBadRequest, Code: "bad_query", Message: name + ": " + rule}
}

// ask publishes a question and waits for the answer. after is where the
// decision log of its partition stood before a hello.
func (g *Gateway) ask(ctx context.Context, it *item, wait time.Duration) (verdict []byte, after string, err error) {
	e := &it.event
	until := time.Now().Add(g.skew() + wait)
	if e.Kind == events.RunStart {
		if after, err = g.standing(ctx, e); err != nil {
			return nil, "", err
		}
		until = until.Add(helloSlack)
	}
	token := tokenOf(e)
	q, forget := g.hub.ask(events.VerdictSubject(e.Tenant, e.Agent, e.Run, token), e.ID)
	defer forget()
	if err := g.askBus(ctx, it, events.Check{Token: token, Deadline: until}); err != nil {
		return nil, "", err
	}
	select {
	case verdict = <-q.answer:
	case <-ctx.Done():
		g.metrics.unanswered.Inc()
		return nil, after, &Fault{
			Status: http.StatusGatewayTimeout, Code: "no_verdict", Message: "the event is stored; no verdict came by the deadline",
			Hint: "decide as without loopwatch: go on, or block; do not ask again for the same call",
		}
	}
	if e.Kind == events.RunStart {
		g.tell(verdict)
	}
	return verdict, after, nil
}

// askBus publishes the question in its run's turn.
func (g *Gateway) askBus(ctx context.Context, it *item, check events.Check) error {
	leave, err := g.lanes.enter(ctx, laneOf(&it.event))
	if err != nil {
		return g.notStored(err)
	}
	defer leave()
	err = g.publish(ctx, it, check.String())
	var rej *events.Reject
	if errors.As(err, &rej) {
		return &Fault{Status: http.StatusRequestEntityTooLarge, Code: "too_large", Message: rej.Detail}
	}
	return err
}

// tokenOf names a question after its event, so that the same question asked
// again while its verdict is under way gets it.
func tokenOf(e *events.Event) string {
	sum := sha256.Sum256([]byte(e.Tenant + "\x00" + e.Task + "\x00" + e.Run + "\x00" + e.ID))
	return "g" + hex.EncodeToString(sum[:16])
}

// skew is the processor's clock minus ours, as the last hello told it.
func (g *Gateway) skew() time.Duration { return time.Duration(g.skewNS.Load()) }

// tell takes the processor's time from the answer to a hello.
func (g *Gateway) tell(verdict []byte) {
	if v, err := actions.DecodeVerdict(verdict); err == nil && !v.Time.IsZero() {
		g.skewNS.Store(int64(time.Until(v.Time)))
	}
}
