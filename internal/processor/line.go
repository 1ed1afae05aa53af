package processor

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/loopwatch/loopwatch/internal/engine"
	"github.com/loopwatch/loopwatch/internal/natsbus"
	"github.com/loopwatch/loopwatch/internal/report"
	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/state"
)

// work is one stored message on its way through the straight line.
type work struct {
	owner   *owner
	msg     natsbus.Msg
	event   events.Event
	decoder events.Decoder // owns what the event holds
	reject  *events.Reject
	result  engine.Result
	out     []outgoing
	logged  time.Time    // when its decisions were in the log
	saved   report.Saved // what the runs that it closed did not spend
}

// outgoing is one decision ready to be logged.
type outgoing struct {
	decision actions.Decision
	message  actions.Message
	old      bool // the log holds it already
}

// fetch waits for messages, for a moment only: then there are none.
func (p *Processor) fetch(ctx context.Context) ([]natsbus.Msg, error) {
	bound, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	msgs, err := p.reader.Fetch(bound, p.cfg.Batch)
	if err = waited(ctx, err); err != nil {
		return nil, fmt.Errorf("fetch events: %w", err)
	}
	if len(msgs) > 0 {
		p.done("fetch")
	}
	return msgs, nil
}

// waited tells what ended a wait within ctx that had a shorter bound of its own:
// nil where that was the bound alone, the end of ctx where both have ended, and
// else what went wrong.
func waited(ctx context.Context, err error) error {
	switch {
	case !errors.Is(err, context.DeadlineExceeded):
		return err
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return nil
}

// decode reads and judges each message by itself.
func (p *Processor) decode(msgs []natsbus.Msg) []*work {
	batch := p.works(msgs)
	p.each(batch, func(w *work) {
		if !w.msg.IsGap() {
			w.reject = p.read(w)
		}
	})
	p.done("decode")
	return batch
}

// step applies the events in order.
func (p *Processor) step(batch []*work) error {
	for _, w := range batch {
		meta := &w.owner.part.Meta
		switch {
		case w.msg.IsGap():
			meta.Counts.Gap += w.msg.Seq - w.msg.GapFrom + 1
			p.cfg.Logger.Warn("events are missing from the stream", "partition", w.owner.number, "from", w.msg.GapFrom, "to", w.msg.Seq)
		case w.reject != nil:
			meta.Counts.Rejected++
		default:
			r, err := w.owner.engine.Step(&w.event)
			if err != nil {
				return p.unusable(w.owner, err)
			}
			w.result, w.reject = r, r.Reject
			w.owner.courses.begin(w)
		}
		meta.Checkpoint.Seq, w.owner.last = w.msg.Seq, w
	}
	p.done("step")
	return nil
}

// sound returns what a question found wrong with the state. The partition
// would refuse everything from then on, operators' acts too.
func (p *Processor) sound() error {
	for o := range p.owned() {
		if err := o.part.Err(); err != nil {
			return p.unusable(o, err)
		}
	}
	return nil
}

// unusable says why the state of a partition cannot go on. A corrupt record
// takes the partition's whole state with it, so that the next start rebuilds it
// instead of meeting the record again.
func (p *Processor) unusable(o *owner, err error) error {
	if errors.Is(err, state.ErrCorrupt) {
		p.writes.Lock()
		defer p.writes.Unlock()
		if derr := o.part.Drop(); derr != nil {
			return errors.Join(err, derr)
		}
		return fmt.Errorf("partition %d was dropped and is rebuilt at the next start: %w", o.number, err)
	}
	return err
}

// fill renders the decisions with the text of the events they name.
func (p *Processor) fill(ctx context.Context, batch []*work) error {
	p.texts.hold(batch)
	for _, w := range batch {
		for i, d := range w.result.Decisions {
			at := actions.Position{Stream: w.owner.stream.Created.UnixMilli(), Seq: w.msg.Seq, I: i}
			m := actions.Render(w.result.Policy, d, p.texts.quoter(ctx, w.owner.number))
			m.At = at
			w.out = append(w.out, outgoing{decision: d, message: m, old: w.owner.logged.covers(at)})
		}
		if !w.msg.IsGap() {
			w.saved = w.owner.courses.follow(w)
		}
	}
	if err := p.texts.err; err != nil {
		return fmt.Errorf("fill decisions: %w", err)
	}
	p.done("fill")
	return nil
}

// log stores dead letters and decisions, each once. A partition that is fenced
// on the way is left out of what follows: its next owner says the rest.
func (p *Processor) log(ctx context.Context, batch []*work) error {
	for _, w := range batch {
		if w.owner.fenced != nil {
			continue
		}
		err := p.logOne(ctx, w)
		switch {
		case err == nil:
			w.logged = p.cfg.Now()
		case errors.Is(err, natsbus.ErrFenced) && !w.owner.grant.Permanent():
			w.owner.fenced = err
		default:
			return err
		}
	}
	p.done("log")
	return nil
}

func (p *Processor) logOne(ctx context.Context, w *work) error {
	if w.reject != nil {
		if err := p.bury(ctx, w); err != nil {
			return err
		}
	}
	for i := range w.out {
		if err := p.record(ctx, w, &w.out[i]); err != nil {
			return err
		}
	}
	return nil
}

// answer tells the workers that asked and are still waiting, and sends
// unacknowledged halts again. Nothing fences an answer, so it takes a grant that
// holds now.
func (p *Processor) answer(ctx context.Context, batch []*work) {
	now := p.cfg.Now()
	for _, w := range batch {
		if w.owner.fenced != nil || !w.owner.grant.Valid() {
			continue
		}
		if w.msg.Check != "" && w.reject == nil && !w.msg.IsGap() {
			p.verdict(ctx, w, now)
		}
		for _, r := range w.result.Resend {
			p.resend(ctx, w.owner, r)
		}
	}
	p.done("answer")
}

// patience bounds how long a fetch keeps questions, and partitions that come or
// go, waiting.
const patience = 50 * time.Millisecond
