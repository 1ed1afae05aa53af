package ingest

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/worker"
)

// epoch is when runs begin whose transcript has no clock; each of their events
// is a second after the one before.
var epoch = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// maxContent is how many bytes of one text are told; longer ones are cut the
// way workers cut them.
const maxContent = 64 << 10

// maxOpen is how many calls may wait for their result; older ones then lose it.
const maxOpen = 4096

// run tells one run's events in order.
type run struct {
	*teller
	id, task, agent, parent string

	first events.Start // told with the first event
	seq   uint64
	round int
	clock time.Time
	timed bool // clock was read from the transcript
	over  bool
	calls map[string]asked
}

// asked is a call that waits for its result.
type asked struct {
	tool  string
	round int
}

// say tells one event. at is its time, zero where the transcript has none: a
// second after the last, or the last time that was read.
func (r *run) say(e events.Event, at time.Time) error {
	if r.err != nil {
		return nil //nolint:nilerr // it ends the reading; no record is wrong
	}
	if r.seq == 0 && e.Kind != events.RunStart {
		start := r.first
		if err := r.say(events.Event{Kind: events.RunStart, Start: &start}, at); err != nil {
			return err
		}
	}
	switch {
	case !at.IsZero():
		r.clock, r.timed = at.UTC(), true
	case !r.timed:
		r.clock = r.clock.Add(time.Second)
	}
	e.V, e.Time, e.Origin, e.Seq = events.Version, r.clock, events.FromAgent, r.seq+1
	e.Tenant, e.Agent, e.Task, e.Run, e.Parent = events.DefaultTenant, r.agent, r.task, r.id, r.parent
	e.ID = r.name(e.Seq, e.Kind)
	body, err := worker.Fit(&e, maxContent)
	if err != nil {
		plain(&e)
		if body, err = worker.Fit(&e, maxContent); err != nil {
			return fmt.Errorf("tell %s: %w", e.Kind, err)
		}
	}
	r.seq = e.Seq
	r.err = r.emit(e, body)
	return nil
}

// name is an event's id: the same for the same place of the same transcript.
func (r *run) name(seq uint64, kind events.Kind) string {
	sum := sha256.Sum256([]byte(r.id + "\x00" + strconv.FormatUint(seq, 10) + "\x00" + string(kind)))
	return hex.EncodeToString(sum[:16])
}

// turn tells a model response and opens its round.
func (r *run) turn(t events.Turn, at time.Time) error {
	r.reopen()
	r.round++
	return r.say(events.Event{Kind: events.TurnKind, Round: r.round, Turn: &t}, at)
}

// call tells a call of the round. A call without an id gets one.
func (r *run) call(c events.Call, at time.Time) error {
	r.reopen()
	if c.ID == "" {
		c.ID = "c" + strconv.FormatUint(r.seq+1, 10)
	}
	r.round = max(r.round, 1)
	if len(r.calls) >= maxOpen {
		clear(r.calls)
	}
	r.calls[c.ID] = asked{tool: c.Tool, round: r.round}
	c.ID = callID(c.ID)
	return r.say(events.Event{Kind: events.ToolCall, Round: r.round, Call: &c}, at)
}

// result tells what came back for the call of an id, in the round of that call.
func (r *run) result(res events.Result, at time.Time) error {
	a, ok := r.calls[res.CallID]
	if !ok {
		a = asked{tool: res.Tool, round: max(r.round, 1)}
	}
	delete(r.calls, res.CallID)
	if res.Tool == "" {
		res.Tool = a.tool
	}
	res.CallID = callID(res.CallID)
	return r.say(events.Event{Kind: events.ToolResult, Round: a.round, Result: &res}, at)
}

// hear tells a message that the model did not write.
func (r *run) hear(role, text string, at time.Time) error {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	r.reopen()
	return r.say(events.Event{Kind: events.Said, Message: &events.Message{Role: role, Text: text}}, at)
}

// finish ends the run, once.
func (r *run) close(status events.Status, reason string, at time.Time) error {
	if r.over {
		return nil
	}
	r.over = true
	return r.say(events.Event{Kind: events.RunEnd, End: &events.End{Status: status, Reason: reason}}, at)
}

// reopen notes that a run which had ended goes on: it is started again.
func (r *run) reopen() {
	if !r.over {
		return
	}
	r.over = false
	start := r.first
	_ = r.say(events.Event{Kind: events.RunStart, Start: &start}, time.Time{}) // a start has nothing that could not be told
}

// callID is an id as an event may carry it.
func callID(id string) string {
	if len(id) <= events.MaxID {
		return strings.ToValidUTF8(id, "\uFFFD")
	}
	sum := sha256.Sum256([]byte(id))
	return hex.EncodeToString(sum[:])
}
