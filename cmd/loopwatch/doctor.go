package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/loopwatch/loopwatch/internal/natsbus"
)

type doctorCmd struct{ busFlags }

// finding is one thing that doctor looked at.
type finding struct {
	ok         bool
	what, hint string
}

// Run looks at everything between a worker and its controls and says what is
// wrong and what to do.
func (c doctorCmd) Run(ctx context.Context, io streams) error {
	found := c.look(ctx)
	failed := 0
	for _, f := range found {
		mark := "ok  "
		if !f.ok {
			mark = "FAIL"
			failed++
		}
		fmt.Fprintf(io.out, "%s  %s\n", mark, f.what)
		if !f.ok && f.hint != "" {
			fmt.Fprintf(io.out, "      %s\n", f.hint)
		}
	}
	if failed > 0 {
		return exit{exitFailed, fmt.Errorf("%d of %d checks failed", failed, len(found))}
	}
	return nil
}

func (c doctorCmd) look(ctx context.Context) []finding {
	b, err := c.open(ctx)
	if err != nil {
		return []finding{{what: err.Error(), hint: "start a server, or `loopwatch run --embedded`; --nats or --context say where it is"}}
	}
	defer b.close()
	out := []finding{{ok: true, what: fmt.Sprintf("connected to %s, %d partitions", b.nc.ConnectedUrlRedacted(), b.partitions)}}
	cfg := natsbus.Default()
	cfg.Partitions = b.partitions
	faults, err := cfg.Faults(ctx, b.js)
	if err != nil {
		return append(out, finding{what: "streams and buckets: " + err.Error()})
	}
	for _, f := range faults {
		out = append(out, finding{what: f.String(), hint: "change the setting, or keep what you need and let loopwatch make it anew"})
	}
	if len(faults) == 0 {
		out = append(out, finding{ok: true, what: "streams and buckets are as they must be"})
	}
	nb, err := natsbus.New(b.nc, b.partitions)
	if err == nil {
		err = nb.CheckMapping(ctx)
	}
	out = append(out, verdict(err, "the server maps lw.ev to the partitions", "add the mapping lw.ev.*.*.*.* to the account, see docs/nats.md"))
	return append(out, c.processors(ctx, b)...)
}

// processors looks at who owns the partitions and how far they got.
func (c doctorCmd) processors(ctx context.Context, b *bus) []finding {
	all, err := b.fleet().Status(ctx)
	if err != nil {
		return []finding{verdict(err, "", "start `loopwatch run` on this NATS")}
	}
	nb, err := natsbus.New(b.nc, b.partitions)
	if err != nil {
		return []finding{verdict(err, "", "")}
	}
	var out []finding
	owned, shared := map[int]bool{}, 0
	for _, s := range all {
		var lag uint64
		for _, p := range s.Partitions {
			if owned[p.Partition] {
				shared++
			}
			owned[p.Partition] = true
			if at, err := nb.EventState(ctx, p.Partition); err == nil && at.Last > p.Applied {
				lag += at.Last - p.Applied
			}
		}
		out = append(out, finding{ok: true, what: fmt.Sprintf("processor %s (%s) owns %d partitions, %d events behind", s.Instance, s.Version, len(s.Partitions), lag)})
		for _, why := range s.Blind {
			err := fmt.Errorf("processor %s is blind: %s", s.Instance, why)
			out = append(out, verdict(err, "", "see docs/runbooks/LoopwatchWatcherBlind.md"))
		}
	}
	if len(owned) < b.partitions {
		err = fmt.Errorf("%d of %d partitions have no processor", b.partitions-len(owned), b.partitions)
	}
	out = append(out, verdict(err, "every partition has a processor", "start `loopwatch run`"))
	if shared > 0 {
		err := fmt.Errorf("%d times a partition has a processor too many", shared)
		out = append(out, verdict(err, "", "ask again in a few seconds: one of them is being fenced"))
	}
	return out
}

func verdict(err error, what, hint string) finding {
	if err == nil {
		return finding{ok: true, what: what}
	}
	var e exit
	if errors.As(err, &e) && e.err != nil {
		err = e.err
	}
	return finding{what: err.Error(), hint: hint}
}
