package fleet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"

	"github.com/loopwatch/loopwatch/internal/natsbus"
	"github.com/loopwatch/loopwatch/internal/replay"
	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
)

// Story is what the bus holds of one run, in the order of its stream: its
// events from one position on, the operators' acts between them, and what was
// decided on it.
type Story struct {
	Events  []events.Event
	Decided []replay.Line
	Records []actions.Control // the same decisions as they were logged
}

// Tell reads the story of a run from the bus. from is the stream position to
// begin at, such as Detail.From says; 0 and 1 begin with the oldest event. It
// reads what all runs of the agent on that partition said since then, a round
// trip an event, and needs no right but to read. Records that are not ours are
// passed over.
func Tell(ctx context.Context, nb *natsbus.Bus, r *Run, from uint64) (*Story, error) {
	s := &Story{}
	if err := s.read(ctx, nb, r, from); err != nil {
		return nil, fmt.Errorf("read events of run %s: %w", r.Run, err)
	}
	if err := s.decisions(ctx, nb, r); err != nil {
		return nil, err
	}
	return s, nil
}

func (s *Story) read(ctx context.Context, nb *natsbus.Bus, r *Run, from uint64) error {
	at, err := nb.EventState(ctx, r.Partition)
	if err != nil || at.Last == 0 {
		return err
	}
	for _, subject := range []string{
		events.PartitionSubject(r.Partition, r.Tenant, r.Agent), events.ReservedSubject(r.Partition, events.OperatorAct),
	} {
		err := nb.EventsOf(ctx, r.Partition, subject, from, at.Last, func(m natsbus.Msg) bool {
			if e, err := events.Decode(m.Data, events.DefaultLimit); err == nil && r.has(&e) {
				e.Stored, e.StreamSeq = m.Stored, m.Seq
				s.Events = append(s.Events, e)
			}
			return true
		})
		if err != nil {
			return err
		}
	}
	slices.SortFunc(s.Events, func(a, b events.Event) int { return cmp.Compare(a.StreamSeq, b.StreamSeq) })
	return nil
}

// has reports whether an event belongs to the run's story.
func (r *Run) has(e *events.Event) bool {
	if e.Kind == events.OperatorAct {
		return true
	}
	return e.Run == r.Run && e.Task == r.Task && e.Tenant == r.Tenant
}

// decisions reads both subjects of the run in the decision log.
func (s *Story) decisions(ctx context.Context, nb *natsbus.Bus, r *Run) error {
	var records []natsbus.Record
	for _, subject := range []string{
		events.ControlLogSubject(r.Partition, r.Tenant, r.Agent, r.Run),
		events.WithheldSubject(r.Partition, r.Tenant, r.Agent, r.Run),
	} {
		err := nb.LogOf(ctx, r.Partition, subject, func(rec natsbus.Record) bool {
			records = append(records, rec)
			return true
		})
		if err != nil && !errors.Is(err, natsbus.ErrNotFound) {
			return err
		}
	}
	slices.SortFunc(records, func(a, b natsbus.Record) int { return int(a.Seq) - int(b.Seq) }) //nolint:gosec // sequences of one log
	for _, rec := range records {
		var c actions.Control
		if json.Unmarshal(rec.Data, &c) == nil && c.Run == r.Run && c.Task == r.Task {
			s.Decided = append(s.Decided, replay.LineOf(actions.Message{Control: c}))
			s.Records = append(s.Records, c)
		}
	}
	return nil
}

// From returns the stream position at which the last n calls that are
// remembered begin, 0 where the run's first ones are among them.
func (d *Detail) From(n int) uint64 {
	if n <= 0 || len(d.Steps) <= n {
		if d.Calls > len(d.Steps) && len(d.Steps) > 0 {
			return d.Steps[0].Call
		}
		return 0
	}
	return d.Steps[len(d.Steps)-n].Call
}
