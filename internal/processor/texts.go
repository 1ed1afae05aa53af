package processor

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/loopwatch/loopwatch/internal/natsbus"
	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/state"
)

// texts reads what decisions and verdicts quote: events of the batch at hand
// and earlier ones from the stream, and controls from the decision log. Only
// the newest few are kept.
type texts struct {
	bus      *natsbus.Bus
	batch    []*work // under way
	controls map[string][]byte
	order    []string
	err      error // first read that failed otherwise than by absence
}

// keptControls bounds the controls held in memory; older ones are read back.
const keptControls = 4096

func newTexts(bus *natsbus.Bus) *texts {
	return &texts{bus: bus, controls: map[string][]byte{}}
}

// hold makes the events of a batch readable without the bus.
func (t *texts) hold(batch []*work) { t.batch = batch }

// quoter returns what the event of a Ref says, nothing where the stream does
// not hold it any more. Another failure is kept in err: a decision must not be
// logged with half its text.
func (t *texts) quoter(ctx context.Context, p int) func(state.Ref) actions.Quote {
	return func(r state.Ref) actions.Quote {
		e, err := t.event(ctx, p, r.Seq)
		if errors.Is(err, natsbus.ErrNotFound) {
			return actions.Quote{}
		}
		if err != nil {
			if t.err == nil {
				t.err = err
			}
			return actions.Quote{}
		}
		return actions.QuoteOf(e)
	}
}

// event returns a stored event.
func (t *texts) event(ctx context.Context, p int, seq uint64) (*events.Event, error) {
	for _, w := range t.batch { // seldom asked
		if w.msg.Seq == seq && w.owner.number == p && w.reject == nil && !w.msg.IsGap() {
			return &w.event, nil
		}
	}
	var m natsbus.Msg
	err := patiently(ctx, func(ctx context.Context) (err error) {
		m, err = t.bus.Event(ctx, p, seq)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read event %d of partition %d: %w", seq, p, err)
	}
	e, err := events.Decode(m.Data, len(m.Data))
	if err != nil {
		return nil, fmt.Errorf("read event %d of partition %d: %w", seq, p, natsbus.ErrNotFound)
	}
	e.Stored, e.StreamSeq = m.Stored, m.Seq
	return &e, nil
}

// patiently reads from the bus again until it answers, for as long as
// readPatience: a bus that is away for a moment must not end the process. What
// it answers, also that nothing is there, is final.
func patiently(ctx context.Context, read func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, readPatience)
	defer cancel()
	for {
		err := read(ctx)
		var refused *jetstream.APIError
		if err == nil || errors.Is(err, natsbus.ErrNotFound) || errors.As(err, &refused) && refused.Code != unavailable {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(readAgain):
		}
	}
}

const (
	readPatience = 30 * time.Second // for one read of the bus, however often it is tried
	readAgain    = 100 * time.Millisecond
	unavailable  = 503 // what a stream without a leader answers
)

// keep remembers the bytes of a control.
func (t *texts) keep(id string, body []byte) {
	if _, ok := t.controls[id]; ok {
		return
	}
	if len(t.order) >= keptControls {
		delete(t.controls, t.order[0])
		t.order = t.order[1:]
	}
	t.controls[id] = body
	t.order = append(t.order, id)
}

// control returns the stored bytes of a control of a run.
func (t *texts) control(ctx context.Context, p int, run state.RunID, agent, id string) ([]byte, error) {
	if b, ok := t.controls[id]; ok {
		return b, nil
	}
	var found []byte
	err := patiently(ctx, func(ctx context.Context) error {
		return t.bus.LogOf(ctx, p, events.ControlLogSubject(p, run.Tenant, agent, run.Run), func(r natsbus.Record) bool {
			var c struct {
				ID string `json:"id"`
			}
			if json.Unmarshal(r.Data, &c) == nil && c.ID == id {
				found = r.Data
			}
			return found == nil
		})
	})
	if err == nil && found == nil {
		err = natsbus.ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("read control %s: %w", id, err)
	}
	t.keep(id, found)
	return found, nil
}
