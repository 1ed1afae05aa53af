package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/loopwatch/loopwatch/internal/fleet"
	"github.com/loopwatch/loopwatch/internal/natsbus"
	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
)

type dlqCmd struct {
	Ls      dlqLsCmd      `cmd:"" help:"List the newest refused events."`
	Show    dlqShowCmd    `cmd:"" help:"Show why an event was refused, and its text while the stream holds it."`
	Redrive dlqRedriveCmd `cmd:"" help:"Publish a refused event as a new one, as it is or corrected."`
}

type dlqLsCmd struct {
	busFlags
	Tenant string `help:"Only this tenant." placeholder:"NAME"`
	Reason string `help:"Only this reason." placeholder:"NAME"`
	Limit  int    `help:"At most so many of each partition, the newest." default:"100"`
	Output string `short:"o" help:"Output format." enum:"table,json,ndjson" default:"table"`
}

// Run lists dead letters, partition by partition.
func (c *dlqLsCmd) Run(ctx context.Context, io streams) error {
	return onBus(ctx, c.busFlags, func(nb *natsbus.Bus) error {
		var out []fleet.Letter
		for p := range nb.Partitions() {
			all, err := fleet.Letters(ctx, nb, p, c.Limit)
			if err != nil {
				return err
			}
			for _, l := range all {
				place, _ := events.ParsePartitionSubject(l.Subject)
				if (c.Tenant == "" || place.Tenant == c.Tenant) && (c.Reason == "" || l.Reason == c.Reason) {
					out = append(out, l)
				}
			}
		}
		return list(io.out, c.Output, out, "PLACE\tSTORED\tSUBJECT\tREASON\tBYTES\tDETAIL", func(l fleet.Letter) string {
			return fmt.Sprintf("%d.%d\t%s\t%s\t%s\t%d\t%s", l.Partition, l.Seq, l.Stored.Format(time.RFC3339),
				actions.Sanitise(l.Subject, 80), actions.Sanitise(l.Reason, 40), l.Bytes, actions.Sanitise(l.Detail, 120))
		})
	})
}

type dlqShowCmd struct {
	busFlags
	Place string `arg:"" help:"Partition and sequence, as ls prints them: 3.1742."`
	Raw   bool   `help:"Only the event, byte for byte; for correcting it."`
}

// mostShown bounds the text of an event on a screen, in runes.
const mostShown = 4096

// Run shows one dead letter.
func (c *dlqShowCmd) Run(ctx context.Context, io streams) error {
	return onBus(ctx, c.busFlags, func(nb *natsbus.Bus) error {
		l, err := letter(ctx, nb, c.Place)
		if err != nil {
			return err
		}
		text, err := l.Text(ctx, nb)
		if c.Raw {
			if err == nil {
				_, err = io.out.Write(text)
			}
			return err
		}
		if err != nil && !errors.Is(err, fleet.ErrGone) {
			return err
		}
		return c.print(io.out, l, text)
	})
}

func (c *dlqShowCmd) print(out io.Writer, l fleet.Letter, text []byte) error {
	for _, line := range []struct{ name, value string }{
		{"reason", l.Reason}, {"detail", l.Detail}, {"field", l.Field}, {"subject", l.Subject}, {"event", l.Event},
		{"stored", l.Stored.Format(time.RFC3339Nano) + " in " + l.Stream + " at " + strconv.FormatUint(l.Seq, 10)},
		{"sha256", l.SHA256 + ", " + strconv.Itoa(l.Bytes) + " bytes"},
	} {
		if line.value != "" {
			fmt.Fprintf(out, "%-8s %s\n", line.name, actions.Sanitise(line.value, 400))
		}
	}
	if text == nil {
		_, err := fmt.Fprintf(out, "text     gone: %v\n", fleet.ErrGone)
		return err
	}
	_, err := fmt.Fprintf(out, "text     %s\n", actions.Sanitise(string(text), mostShown))
	return err
}

type dlqRedriveCmd struct {
	busFlags
	Place string `arg:"" help:"Partition and sequence, as ls prints them: 3.1742."`
	File  string `help:"The event as it should be; - is standard input. Without it, the event as it is stored." placeholder:"FILE"`
}

// Run publishes the event anew.
func (c *dlqRedriveCmd) Run(ctx context.Context, io streams) error {
	return onBus(ctx, c.busFlags, func(nb *natsbus.Bus) error {
		l, err := letter(ctx, nb, c.Place)
		if err != nil {
			return err
		}
		text, err := c.text(ctx, io, nb, l)
		if err != nil {
			return err
		}
		bound, cancel := context.WithTimeout(ctx, connectPatience)
		defer cancel()
		e, err := l.Redrive(bound, nb, text)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(io.out, "%s of run %s is stored as event %s\n", e.Kind, e.Run, e.ID)
		return err
	})
}

func (c *dlqRedriveCmd) text(ctx context.Context, s streams, nb *natsbus.Bus, l fleet.Letter) ([]byte, error) {
	switch c.File {
	case "":
		return l.Text(ctx, nb)
	case "-":
		return io.ReadAll(io.LimitReader(s.in, events.DefaultLimit+1))
	}
	return os.ReadFile(c.File)
}

// letter finds the dead letter of a place such as 3.1742.
func letter(ctx context.Context, nb *natsbus.Bus, place string) (fleet.Letter, error) {
	p, seq, _ := strings.Cut(place, ".")
	partition, perr := strconv.Atoi(p)
	at, serr := strconv.ParseUint(seq, 10, 64)
	if perr != nil || serr != nil || partition < 0 || partition >= nb.Partitions() {
		return fleet.Letter{}, exit{exitUsage, fmt.Errorf("%q is no place: give partition and sequence as dlq ls prints them, such as 3.1742", place)}
	}
	l, err := fleet.LetterAt(ctx, nb, partition, at)
	if errors.Is(err, natsbus.ErrNotFound) {
		return l, fmt.Errorf("no dead letter is about %s: loopwatch dlq ls lists those that are kept", place)
	}
	return l, err
}

// onBus connects, calls fn and lets go.
func onBus(ctx context.Context, f busFlags, fn func(*natsbus.Bus) error) error {
	b, err := f.open(ctx)
	if err != nil {
		return err
	}
	defer b.close()
	nb, err := natsbus.New(b.nc, b.partitions)
	if err != nil {
		return err
	}
	return fn(nb)
}
