package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/loopwatch/loopwatch/internal/natsbus"
	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
)

// unlifted says why a resumption resumed nothing: the run was not halted, or
// somebody was faster. It fails where a note or a budget was lost by that.
func (b *bus) unlifted(ctx context.Context, o events.Operator, io streams) error {
	found, err := b.fleet().Details(ctx, o.Scope)
	if err != nil {
		return err
	}
	said := fmt.Sprintf("%s is not halted", describe(o.Scope))
	for _, d := range found {
		if d.Halted {
			return fmt.Errorf("%s is halted again already: loopwatch show %s", describe(o.Scope), o.Scope.Run)
		}
		if d.Resumed != 0 {
			said += ": " + b.resumedBy(ctx, d.Partition, d.Resumed)
		}
	}
	if o.Note != "" || o.Add != (events.Limits{}) {
		return errors.New(said + "; what this resumption brought, a note or a budget, was not applied")
	}
	_, err = fmt.Fprintln(io.out, said)
	return err
}

// resumedBy says who resumed a run, and when, from the act as it was stored.
func (b *bus) resumedBy(ctx context.Context, partition int, seq uint64) string {
	const unknown = "it was resumed already"
	nb, err := natsbus.New(b.nc, b.partitions)
	if err != nil {
		return unknown
	}
	m, err := nb.Event(ctx, partition, seq)
	if err != nil {
		return unknown
	}
	e, err := events.Decode(m.Data, events.DefaultLimit)
	if err != nil || e.Operator == nil {
		return unknown
	}
	who := "somebody"
	if e.Operator.By != "" {
		who = actions.Sanitise(e.Operator.By, 64)
	}
	return fmt.Sprintf("%s resumed it at %s", who, m.Stored.Format(time.RFC3339))
}
