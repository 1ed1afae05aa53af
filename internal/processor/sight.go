package processor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/loopwatch/loopwatch/internal/natsbus"
)

// Promise is how long an event may be stored without its control being
// published, crash and takeover included.
const Promise = 15 * time.Second

const (
	lookEvery    = 2 * time.Second
	lookPatience = 10 * time.Second // bounds one look
	lateFor      = time.Minute      // for how long a control that came too late is held against us
)

// Blind returns why events of this instance may go unwatched for longer than
// Promise, a sentence a cause; empty while none may. It may be called from any
// goroutine.
func (p *Processor) Blind() []string {
	if why := p.blind.Load(); why != nil {
		return *why
	}
	return nil
}

// sight is one look at what is stored and what of it was applied.
type sight struct {
	at       time.Time
	settled  bool // all partitions are open that should be
	bus      error
	waiting  []waiter
	accounts []Status  // of the partitions that are open
	late     time.Time // when the last control came too late
}

// waiter is the oldest event of a partition that is not applied.
type waiter struct {
	partition int
	seq       uint64
	behind    uint64    // events stored and not applied
	stored    time.Time // zero where it cannot be read
}

// look gathers what there is to judge.
func (p *Processor) look(ctx context.Context) sight {
	ctx, cancel := context.WithTimeout(ctx, lookPatience)
	defer cancel()
	s := sight{accounts: p.Status(), settled: p.cfg.Owns.Settled() && len(p.Status()) == len(p.cfg.Owns.Grants())}
	for _, a := range s.accounts {
		at, err := p.cfg.Bus.EventState(ctx, a.Partition)
		if err != nil {
			s.bus = err
			break
		}
		if at.Last <= a.Applied {
			continue
		}
		w := waiter{partition: a.Partition, seq: a.Applied + 1, behind: at.Last - a.Applied}
		m, err := p.cfg.Bus.Event(ctx, w.partition, max(w.seq, at.First))
		if err != nil && !errors.Is(err, natsbus.ErrNotFound) {
			s.bus = err
			break
		}
		w.stored = m.Stored
		s.waiting = append(s.waiting, w)
	}
	s.at, s.late = p.cfg.Now(), timeOfMS(p.late.Load())
	return s
}

// watchman remembers since when something has been wrong.
type watchman struct {
	unsettled, cut time.Time
	stuck          map[int]waiter // by partition; stored is when we first saw it wait
}

// judge returns what the sight is blind to.
func (m *watchman) judge(s sight) (why []string) {
	blind := func(since time.Time, format string, args ...any) {
		if waits := s.at.Sub(since); !since.IsZero() && waits > Promise {
			why = append(why, fmt.Sprintf(format, args...)+fmt.Sprintf(" for %s", waits.Round(time.Second)))
		}
	}
	since(&m.unsettled, !s.settled, s.at)
	since(&m.cut, s.bus != nil, s.at)
	blind(m.unsettled, "partitions that should be read are not open")
	blind(m.cut, "the bus does not say what it stores (%v)", s.bus)
	stuck := map[int]waiter{}
	for _, w := range s.waiting {
		if w.stored.IsZero() {
			w.stored = s.at
			if before := m.stuck[w.partition]; before.seq == w.seq {
				w.stored = before.stored
			}
			stuck[w.partition] = w
		}
		blind(w.stored, "partition %d: event %d has waited, with %d behind it,", w.partition, w.seq, w.behind-1)
	}
	m.stuck = stuck
	for _, a := range s.accounts {
		if total := a.Counts.Total(); total != a.Applied {
			why = append(why, fmt.Sprintf("partition %d: %d events are accounted for of %d: some were lost or counted twice", a.Partition, total, a.Applied))
		}
	}
	if !s.late.IsZero() && s.at.Sub(s.late) < lateFor {
		why = append(why, fmt.Sprintf("a control came more than %s after its event", Promise))
	}
	return why
}

// since keeps when a condition began.
func since(t *time.Time, holds bool, now time.Time) {
	switch {
	case !holds:
		*t = time.Time{}
	case t.IsZero():
		*t = now
	}
}

// keepWatch looks again and again, and says when what it sees has changed.
func (p *Processor) keepWatch(ctx context.Context) {
	t := time.NewTicker(lookEvery)
	defer t.Stop()
	m := &watchman{}
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
		s := p.look(ctx)
		if ctx.Err() != nil {
			return
		}
		p.see(s, m.judge(s))
	}
}

func (p *Processor) see(s sight, why []string) {
	p.cfg.Metrics.seen(s, len(why) > 0)
	before := p.Blind()
	p.blind.Store(&why)
	switch {
	case len(why) > 0 && len(before) == 0:
		p.cfg.Logger.Error("events may go unwatched for longer than promised", "why", why)
	case len(why) == 0 && len(before) > 0:
		p.cfg.Logger.Info("events are watched again", "was", slices.Clone(before))
	}
}

// noteLate remembers when a control was logged later than promised.
func (p *Processor) noteLate(batch []*work) {
	for _, w := range batch {
		acted := slices.ContainsFunc(w.out, func(o outgoing) bool { return !o.old && o.decision.ID != "" })
		if acted && w.logged.Sub(w.msg.Stored) > Promise {
			p.late.Store(p.cfg.Now().UnixMilli())
		}
	}
}

// timeOfMS is a time in milliseconds since 1970; 0 is no time.
func timeOfMS(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms)
}
