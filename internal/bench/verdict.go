package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/state/pebblestore"
)

// How a verdict is measured.
const (
	quietRate = 1000 // events a second behind it, for the ratio
	busyRate  = 5000 // and for the slowest in a hundred
	checks    = 200  // in each round
	tooLong   = 10 * time.Second
)

// Verdict measures how long a worker waits that asks before it acts, against
// how long the bus takes to acknowledge the same event.
func Verdict(ctx context.Context, c Config, r *Report) (err error) {
	dir, err := os.MkdirTemp(c.Dir, "bench")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	b, err := openBus(ctx, dir, c.Command)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.close()) }()
	store, err := pebblestore.Open(filepath.Join(dir, "state"), pebblestore.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	p, err := b.run(ctx, store)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.close()) }()
	select {
	case <-p.Ready():
	case err := <-p.done:
		p.done <- nil
		return fmt.Errorf("the processor ended: %w", err)
	case <-ctx.Done():
		return ctx.Err()
	}
	return b.asks(ctx, c, r)
}

// asks measures rounds at both rates and states what the undisturbed ones say.
func (b *bus) asks(ctx context.Context, c Config, r *Report) error {
	var ratios, waits, slowest []float64
	for n := range c.Rounds {
		quiet, err := b.round(ctx, c, n, quietRate)
		if err != nil {
			return err
		}
		busy, err := b.round(ctx, c, c.Rounds+n, busyRate)
		if err != nil {
			return err
		}
		c.Tell("verdict: round %d of %d: %.2f ms, acknowledged in %.2f ms, other load %.0f %%\n",
			n+1, c.Rounds, 1e3*median(quiet.verdicts), 1e3*median(quiet.acks), 100*quiet.other)
		if max(quiet.other, busy.other) > c.Noise {
			continue
		}
		ratios = append(ratios, median(quiet.verdicts)/median(quiet.acks))
		waits = append(waits, 1e3*median(quiet.verdicts))
		slowest = append(slowest, 1e3*quantile(busy.verdicts, 0.99))
	}
	if err := r.used("verdict", len(ratios), c.Rounds); err != nil {
		return err
	}
	r.Ratio["verdict"] = median(ratios)
	r.Figures["verdict_p50_ms"] = median(waits)
	r.Figures["verdict_p99_ms_at_5k"] = median(slowest)
	return nil
}

// waits are the seconds that the checks of one round took.
type waits struct {
	verdicts, acks []float64
	other          float64
}

// round asks while a fleet goes on behind.
func (b *bus) round(ctx context.Context, c Config, n, rate int) (w waits, err error) {
	ctx, stop := context.WithCancel(ctx)
	behind := make(chan error, 1)
	go func() {
		behind <- b.goOn(ctx, Fleet{Seed: c.Seed + uint64(n), Active: 500, Size: 600, Loops: 0.05}, rate)
	}() //nolint:gosec // a count
	defer func() {
		stop()
		err = errors.Join(err, <-behind)
	}()
	run := "ask" + strconv.Itoa(n)
	answers, err := b.nc.SubscribeSync(events.VerdictSubject(events.DefaultTenant, events.DefaultAgent, run, "*"))
	if err != nil {
		return w, fmt.Errorf("subscribe for verdicts: %w", err)
	}
	defer func() { err = errors.Join(err, answers.Unsubscribe()) }()
	m := start(b.pid)
	for i := range checks {
		began := time.Now()
		if err := b.ask(ctx, run, i); err != nil {
			return w, err
		}
		acked := time.Since(began)
		if _, err := answers.NextMsg(tooLong); err != nil {
			return w, fmt.Errorf("await verdict: %w", err)
		}
		w.verdicts = append(w.verdicts, time.Since(began).Seconds())
		w.acks = append(w.acks, acked.Seconds())
	}
	w.other = m.stop(checks).Other
	return w, nil
}

// ask publishes a call that wants a verdict, and returns when it is stored.
func (b *bus) ask(ctx context.Context, run string, i int) error {
	e := events.Event{
		V: 1, ID: run + "-" + strconv.Itoa(i), Kind: events.ToolCall, Tenant: events.DefaultTenant, Agent: events.DefaultAgent,
		Task: run, Run: run, Seq: uint64(i + 1), Time: time.Now(), Origin: events.FromAgent, Round: i + 1, //nolint:gosec // a count
		Call: &events.Call{ID: "c", Tool: "search", Args: events.RawJSON(`{"q":"` + strconv.Itoa(i) + `"}`)},
	}
	data, err := events.Encode(e)
	if err != nil {
		return err
	}
	check := events.Check{Token: "t" + strconv.Itoa(i), Deadline: time.Now().Add(tooLong)}
	msg := &nats.Msg{Subject: events.EventSubject(e.Tenant, e.Agent, e.Task, e.Run), Data: data, Header: nats.Header{
		events.HeaderMsgID: {e.ID}, events.HeaderCheck: {check.String()},
	}}
	if _, err := b.js.PublishMsg(ctx, msg, jetstream.WithRetryAttempts(3)); err != nil {
		return fmt.Errorf("publish check: %w", err)
	}
	return nil
}

// errOver ends a fleet that would go on.
var errOver = errors.New("over")

// goOn publishes a fleet at a rate until ctx ends.
func (b *bus) goOn(ctx context.Context, f Fleet, rate int) error {
	const every = 10 * time.Millisecond
	t := time.NewTicker(every)
	defer t.Stop()
	n, f2 := 0, f
	f2.Events = 1 << 40
	err := f2.Each(func(subject, _ string, data []byte) error {
		if n++; n%(rate/int(time.Second/every)) == 0 {
			select {
			case <-t.C:
			case <-ctx.Done():
				return errOver
			}
		}
		_, err := b.js.PublishAsync(subject, append([]byte(nil), data...))
		return err
	})
	if errors.Is(err, errOver) {
		return nil
	}
	return fmt.Errorf("publish behind: %w", err)
}
