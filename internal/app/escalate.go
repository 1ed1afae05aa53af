package app

import (
	"context"
	"errors"

	"github.com/loopwatch/loopwatch/internal/escalate"
	"github.com/loopwatch/loopwatch/internal/natsbus"
	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/state"
)

// escalations tells people. Without anybody to tell it counts what is open.
func (a *App) escalations(ctx context.Context) (part, error) {
	var s *escalate.Service
	err := natsbus.InTime(ctx, a.opts.Logger, func() (err error) {
		s, err = escalate.New(ctx, escalate.Config{
			Options: a.opts.Escalate, Bus: a.bus, Conn: a.nc, JS: a.js, Trusted: a.trusted(), Owned: a.owned, Stand: a.stand,
			Replicas: a.opts.Replicas, Logger: a.opts.Logger, Now: a.opts.Now,
		})
		return err
	})
	if err != nil {
		return part{}, err
	}
	a.escalate = s
	return part{"escalations", s.Run}, nil
}

// EscalationsOpen is how many escalations of this instance's partitions wait for
// somebody. It may be called from any goroutine.
func (a *App) EscalationsOpen() int { return a.escalate.Open() }

// owned lists the partitions that are ours now.
func (a *App) owned() []int {
	var out []int
	for _, s := range a.Processor.Status() {
		out = append(out, s.Partition)
	}
	return out
}

// errElsewhere says that a partition went to another instance meanwhile.
var errElsewhere = errors.New("the partition is another instance's")

// stand judges escalations by the state of their runs, between two batches.
func (a *App) stand(ctx context.Context, p int, all []*escalate.Escalation) ([]escalate.Standing, error) {
	out := make([]escalate.Standing, len(all))
	err := errElsewhere
	aerr := a.Processor.Ask(ctx, func(part *state.Partition, _ *actions.Policy) error {
		if part.Number != p {
			return nil
		}
		for i, e := range all {
			out[i] = escalate.StandingOf(part, e)
		}
		err = nil
		return nil
	})
	return out, errors.Join(aerr, err)
}
