package fleet

import (
	"context"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/loopwatch/loopwatch/internal/natsbus"
	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
)

// Listener takes in what Retell reads. Its functions are called one at a time;
// their errors end the reading.
type Listener struct {
	Event    func(*events.Event) error
	Decision func(*actions.Message) error
}

// Retell reads what the bus holds of partition p: its events in stream order,
// and each decision behind the event that caused it. What the processor refused
// is left out, and so are records that are not ours. It holds a bounded part of
// either in memory. whole is false where the oldest events are no longer stored.
func Retell(ctx context.Context, nb *natsbus.Bus, p int, to Listener) (whole bool, err error) {
	at, err := nb.EventState(ctx, p)
	if err != nil || at.Last == 0 {
		return true, err
	}
	letters, err := nb.DeadLetters(ctx, p)
	if err != nil {
		return false, err
	}
	log, err := followLog(ctx, nb, p)
	if err != nil {
		return false, err
	}
	defer log.close()
	err = walk(ctx, nb, p, "report", func(m *natsbus.Msg) error {
		if letters[m.Seq] {
			return nil
		}
		if e, ok := accepted(m, nb.Partitions()); ok {
			if err := to.Event(e); err != nil {
				return err
			}
		}
		return log.upTo(ctx, m.Seq, to.Decision)
	})
	if err != nil {
		return false, err
	}
	return at.First <= 1, log.upTo(ctx, at.Last, to.Decision)
}

// walk calls fn for the messages that the event stream of partition p holds
// now, in order.
func walk(ctx context.Context, nb *natsbus.Bus, p int, name string, fn func(*natsbus.Msg) error) error {
	at, err := nb.EventState(ctx, p)
	if err != nil || at.Last == 0 {
		return err
	}
	r := nb.NewReader(natsbus.ReaderConfig{Name: name})
	defer r.Close()
	if err := r.Add(p, 1, at.Created); err != nil {
		return err
	}
	for seq := uint64(0); seq < at.Last; {
		bound, cancel := context.WithTimeout(ctx, time.Minute)
		msgs, err := r.Fetch(bound, 1000)
		cancel()
		if err != nil {
			return err
		}
		for i := range msgs {
			m := &msgs[i]
			if seq = m.Seq; m.IsGap() || seq > at.Last {
				continue
			}
			if err := fn(m); err != nil {
				return err
			}
		}
	}
	return nil
}

// accepted reads a stored message as the processor does; ok is false where the
// processor refuses it.
func accepted(m *natsbus.Msg, partitions int) (e *events.Event, ok bool) {
	read, err := events.Decode(m.Data, events.DefaultLimit)
	place, known := events.ParsePartitionSubject(m.Subject)
	if err != nil || !known || events.CheckIdentity(read, place, partitions) != nil {
		return nil, false
	}
	read.Stored, read.StreamSeq, read.Partition = m.Stored, m.Seq, &m.Partition
	return &read, true
}

// logFollower hands on the records of one decision log as far as the events
// that caused them are known.
type logFollower struct {
	records chan *actions.Message
	end     chan error
	stop    context.CancelFunc
	head    *actions.Message // read, and caused by an event to come
	over    bool
}

// logAhead is how many records wait for their event at most.
const logAhead = 256

func followLog(ctx context.Context, nb *natsbus.Bus, p int) (*logFollower, error) {
	log, err := nb.OpenLog(ctx, p, func(natsbus.Record) bool { return false })
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(ctx)
	f := &logFollower{records: make(chan *actions.Message, logAhead), end: make(chan error, 1), stop: stop}
	go func() {
		defer close(f.records)
		f.end <- log.ReadFrom(ctx, 1, func(r natsbus.Record) error {
			m := recordOf(r)
			if m == nil {
				return nil
			}
			select {
			case f.records <- m:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
	}()
	return f, nil
}

// recordOf reads a record of the decision log, nil where it is none of a run.
func recordOf(r natsbus.Record) *actions.Message {
	parts := strings.Split(r.Subject, ".")
	var m actions.Message
	if len(parts) != 6 || json.Unmarshal(r.Data, &m.Control) != nil {
		return nil
	}
	if parts[3] != m.Tenant || parts[4] != m.Agent || parts[5] != m.Run || m.Detector == "" {
		return nil
	}
	return &m
}

// upTo hands on the records whose cause lies at seq or before.
func (f *logFollower) upTo(ctx context.Context, seq uint64, fn func(*actions.Message) error) error {
	for !f.over {
		if f.head == nil {
			select {
			case m, more := <-f.records:
				if !more {
					f.over = true
					return <-f.end
				}
				f.head = m
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		if f.head.At.Seq > seq {
			return nil
		}
		m := f.head
		f.head = nil
		if err := fn(m); err != nil {
			return err
		}
	}
	return nil
}

// close ends the reading and waits for it; what waits is dropped.
func (f *logFollower) close() {
	f.stop()
	for range f.records {
	}
}
