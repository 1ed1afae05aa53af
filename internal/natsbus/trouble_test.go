package natsbus

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/loopwatch/loopwatch/pkg/events"
)

// recreate replaces the event stream of partition p by an empty one from which
// messages can be removed, as age and operators without conscience do it.
func (f *fixture) recreate(t *testing.T, p int) jetstream.Stream {
	t.Helper()
	ctx := testContext(t)
	s, err := f.js.Stream(ctx, events.EventStream(p))
	if err != nil {
		t.Fatal(err)
	}
	cfg := s.CachedInfo().Config
	if err := f.js.DeleteStream(ctx, cfg.Name); err != nil {
		t.Fatal(err)
	}
	// The server moves the files aside and removes them later; a second stream
	// that is deleted before keeps its messages for the third.
	aside := filepath.Join(f.cfg.StoreDir, "jetstream", "$G", "streams", "."+cfg.Name)
	until(t, "the files of the old stream are gone", func() bool {
		_, err := os.Stat(aside)
		return errors.Is(err, os.ErrNotExist)
	})
	cfg.DenyDelete, cfg.DenyPurge = false, false
	if s, err = f.js.CreateStream(ctx, cfg); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestServerRestartsWhileReading(t *testing.T) {
	f := newFixture(t, 3)
	for p := range 3 {
		f.publish(t, p, 1, 3000)
	}
	r := f.reader(t, ReaderConfig{LaneMsgs: 500, Watch: time.Hour}) // the reconnect alone must do
	for p := range 3 {
		if err := r.Add(p, 1, time.Time{}); err != nil {
			t.Fatal(err)
		}
	}
	all := collect(t, r, 2500)
	f.restart(t)
	f.publish(t, 1, 3001, 10)
	all = append(all, collect(t, r, 9010-len(all))...)
	f.restart(t) // while nothing is under way
	f.publish(t, 2, 3001, 10)
	all = append(all, collect(t, r, 10)...)
	var got [3][]Msg
	for _, m := range all {
		got[m.Partition] = append(got[m.Partition], m)
	}
	wantEvents(t, got[0], 0, 1, 3000)
	wantEvents(t, got[1], 1, 1, 3010)
	wantEvents(t, got[2], 2, 1, 3010)
	if r.Restarts() == 0 {
		t.Error("no consumer was made anew")
	}
}

func TestConsumerEnds(t *testing.T) {
	for name, end := range map[string]func(t *testing.T, f *fixture, s jetstream.Stream, consumer string){
		"deleted": func(t *testing.T, f *fixture, s jetstream.Stream, consumer string) {
			if err := s.DeleteConsumer(testContext(t), consumer); err != nil {
				t.Fatal(err)
			}
		},
		// Nobody is told: only the progress of the stream tells.
		"silent": func(t *testing.T, f *fixture, s jetstream.Stream, consumer string) {
			if _, err := s.PauseConsumer(testContext(t), consumer, time.Now().Add(time.Hour)); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, 1)
			f.publish(t, 0, 1, 10)
			r := f.reader(t, ReaderConfig{Name: "instance 1.a"})
			if err := r.Add(0, 1, time.Time{}); err != nil {
				t.Fatal(err)
			}
			wantEvents(t, collect(t, r, 10), 0, 1, 10)
			s, err := f.js.Stream(testContext(t), events.EventStream(0))
			if err != nil {
				t.Fatal(err)
			}
			consumers := consumersOf(t, s)
			if len(consumers) != 1 || !strings.HasPrefix(consumers[0], "instance_1_a_") {
				t.Fatalf("consumers are %v", consumers)
			}
			end(t, f, s, consumers[0])
			f.publish(t, 0, 11, 10)
			wantEvents(t, collect(t, r, 10), 0, 11, 20)
			if r.Restarts() != 1 {
				t.Errorf("%d restarts, want 1", r.Restarts())
			}
			r.Close()
			if left := consumersOf(t, s); len(left) != 0 {
				t.Errorf("consumers %v are left", left)
			}
		})
	}
}

// Deliveries that somebody else got, or that were lost under way, are no gap.
func TestStolenDeliveriesAreReadAgain(t *testing.T) {
	f := newFixture(t, 1)
	f.publish(t, 0, 1, 10)
	r := f.reader(t, ReaderConfig{})
	if err := r.Add(0, 1, time.Time{}); err != nil {
		t.Fatal(err)
	}
	wantEvents(t, collect(t, r, 10), 0, 1, 10)
	s, err := f.js.Stream(testContext(t), events.EventStream(0))
	if err != nil {
		t.Fatal(err)
	}
	thief := f.dial(t)
	stolen, err := thief.SubscribeSync(thief.NewInbox())
	if err != nil {
		t.Fatal(err)
	}
	ask := apiPrefix + "CONSUMER.MSG.NEXT." + events.EventStream(0) + "." + consumersOf(t, s)[0]
	if err := thief.PublishRequest(ask, stolen.Subject, []byte(`{"batch":3,"expires":10000000000}`)); err != nil {
		t.Fatal(err)
	}
	if err := thief.Flush(); err != nil {
		t.Fatal(err)
	}
	f.publish(t, 0, 11, 20)
	wantEvents(t, collect(t, r, 20), 0, 11, 30)
	if _, err := stolen.NextMsg(testWait); err != nil {
		t.Errorf("nothing was stolen: %v", err)
	}
	if r.Restarts() == 0 {
		t.Error("no consumer was made anew")
	}
}

func consumersOf(t *testing.T, s jetstream.Stream) (names []string) {
	t.Helper()
	list := s.ConsumerNames(testContext(t))
	for name := range list.Name() {
		names = append(names, name)
	}
	if list.Err() != nil {
		t.Fatal(list.Err())
	}
	return names
}

func TestRemovedMessagesAreAGap(t *testing.T) {
	for name, test := range map[string]struct {
		remove func(t *testing.T, s jetstream.Stream)
		want   [][2]uint64 // first (of a gap, else 0) and last sequence of each message
	}{
		"the oldest": {
			func(t *testing.T, s jetstream.Stream) { purge(t, s, jetstream.WithPurgeSequence(4)) },
			[][2]uint64{{1, 3}, {0, 4}, {0, 5}, {0, 6}},
		},
		"in the middle": {
			func(t *testing.T, s jetstream.Stream) { remove(t, s, 3); remove(t, s, 4) },
			[][2]uint64{{0, 1}, {0, 2}, {3, 4}, {0, 5}, {0, 6}},
		},
		"two places": {
			func(t *testing.T, s jetstream.Stream) { remove(t, s, 2); remove(t, s, 4) },
			[][2]uint64{{0, 1}, {2, 2}, {0, 3}, {4, 4}, {0, 5}, {0, 6}},
		},
		"all": {
			func(t *testing.T, s jetstream.Stream) { purge(t, s) },
			[][2]uint64{{1, 6}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, 1)
			s := f.recreate(t, 0)
			f.publish(t, 0, 1, 6)
			test.remove(t, s)
			r := f.reader(t, ReaderConfig{})
			if err := r.Add(0, 1, time.Time{}); err != nil {
				t.Fatal(err)
			}
			for i, m := range collect(t, r, len(test.want)) {
				if m.GapFrom != test.want[i][0] || m.Seq != test.want[i][1] {
					t.Errorf("message %d is %d to %d, want %v", i, m.GapFrom, m.Seq, test.want[i])
				}
			}
			f.publish(t, 0, 7, 1)
			wantEvents(t, collect(t, r, 1), 0, 7, 7)
		})
	}
}

func TestPurgeUnderAReader(t *testing.T) {
	f := newFixture(t, 1)
	s := f.recreate(t, 0)
	f.publish(t, 0, 1, 5000)
	r := f.reader(t, ReaderConfig{LaneMsgs: 5})
	if err := r.Add(0, 1, time.Time{}); err != nil {
		t.Fatal(err)
	}
	msgs := collect(t, r, 1)
	purge(t, s)
	f.publish(t, 0, 5001, 1)
	for msgs[len(msgs)-1].Seq < 5001 {
		msgs = append(msgs, collect(t, r, 1)...)
	}
	next := uint64(1) // what was under way is delivered, the rest is a gap
	for _, m := range msgs {
		if first := max(m.GapFrom, min(m.Seq, next)); first != next {
			t.Errorf("%+v follows %d", m, next-1)
		}
		next = m.Seq + 1
	}
	if gap := msgs[len(msgs)-2]; !gap.IsGap() || gap.Seq != 5000 {
		t.Errorf("before the last message stands %+v, want the gap", gap)
	}
}

func TestStreamIsNotTheOneItWas(t *testing.T) {
	for name, test := range map[string]struct {
		change func(t *testing.T, f *fixture)
		want   Standing
	}{
		"recreated, empty": {func(t *testing.T, f *fixture) { f.recreate(t, 0) }, Recreated},
		"recreated, longer than before": {func(t *testing.T, f *fixture) {
			f.recreate(t, 0)
			f.publish(t, 0, 1, 30)
		}, Recreated},
		"deleted": {func(t *testing.T, f *fixture) {
			if err := f.js.DeleteStream(testContext(t), events.EventStream(0)); err != nil {
				t.Fatal(err)
			}
		}, Gone},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, 2)
			f.publish(t, 0, 1, 20)
			r := f.reader(t, ReaderConfig{})
			for p := range 2 {
				if err := r.Add(p, 1, time.Time{}); err != nil {
					t.Fatal(err)
				}
			}
			wantEvents(t, collect(t, r, 20), 0, 1, 20)
			test.change(t, f)
			_, err := r.Fetch(testContext(t), 100)
			var bad *StreamError
			if !errors.As(err, &bad) || bad.Standing != test.want && bad.Standing != Gone || bad.Partition != 0 || bad.Next != 21 {
				t.Fatalf("Fetch returns %v, want %v", err, test.want)
			}
			f.publish(t, 1, 1, 5) // the other partition is read on
			wantEvents(t, collect(t, r, 5), 1, 1, 5)
		})
	}
}

func TestReaderStartsAfterTheEndOfTheStream(t *testing.T) {
	f := newFixture(t, 1)
	f.publish(t, 0, 1, 3)
	r := f.reader(t, ReaderConfig{})
	if err := r.Add(0, 10, time.Time{}); err != nil {
		t.Fatal(err)
	}
	_, err := r.Fetch(testContext(t), 1)
	var bad *StreamError
	if !errors.As(err, &bad) || bad.Standing != Backwards || bad.State.Last != 3 {
		t.Errorf("Fetch returns %v, want that the stream went backwards", err)
	}
}

func purge(t *testing.T, s jetstream.Stream, opts ...jetstream.StreamPurgeOpt) {
	t.Helper()
	if err := s.Purge(testContext(t), opts...); err != nil {
		t.Fatal(err)
	}
}

func remove(t *testing.T, s jetstream.Stream, seq uint64) {
	t.Helper()
	if err := s.DeleteMsg(testContext(t), seq); err != nil {
		t.Fatal(err)
	}
}
