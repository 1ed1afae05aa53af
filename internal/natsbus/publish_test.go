package natsbus

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/loopwatch/loopwatch/pkg/events"
)

func TestPublishOwnIsStoredOnce(t *testing.T) {
	f, ctx := newFixture(t, 2), testContext(t)
	first, err := f.PublishOwn(ctx, 1, "tick", "id1", []byte("{}"))
	if err != nil {
		t.Fatal(err)
	}
	again, err := f.PublishOwn(ctx, 1, "tick", "id1", []byte("{}"))
	if err != nil || again != first {
		t.Errorf("the same id is stored at %d, %v, then at %d", first, err, again)
	}
	m, err := f.Event(ctx, 1, first)
	if err != nil || m.Subject != "lw.evp.1._lw.tick" || m.ID != "id1" {
		t.Errorf("stored %+v, %v", m, err)
	}
	if _, err := f.PublishOwn(ctx, 2, "tick", "id2", nil); err == nil {
		t.Error("published to a partition that does not exist")
	}
}

func TestPublishOwnIsRefused(t *testing.T) {
	f := newFixture(t, 1)
	if _, err := f.PublishOwn(testContext(t), 0, "tick", "id1", make([]byte, f.nc.MaxPayload()+1)); !errors.Is(err, nats.ErrMaxPayload) {
		t.Errorf("too large: %v", err)
	}
	f.nc.Close()
	if _, err := f.PublishOwn(testContext(t), 0, "tick", "id1", nil); !errors.Is(err, nats.ErrConnectionClosed) {
		t.Errorf("closed connection: %v", err)
	}
}

func TestFullStreamIsTriedUntilTheEnd(t *testing.T) {
	f := newFixture(t, 1)
	s := f.recreate(t, 0)
	cfg := s.CachedInfo().Config
	cfg.MaxMsgs = 1
	if _, err := f.js.UpdateStream(testContext(t), cfg); err != nil {
		t.Fatal(err)
	}
	f.publish(t, 0, 1, 1)
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	_, err := f.PublishOwn(ctx, 0, "tick", "id1", nil)
	if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "maximum messages exceeded") {
		t.Errorf("a full stream: %v", err)
	}
}

func TestDeadLetterIsStoredOnce(t *testing.T) {
	f, ctx := newFixture(t, 2), testContext(t)
	for _, test := range []struct {
		p      int
		seq    uint64
		stored bool
	}{{0, 7, true}, {0, 7, false}, {1, 7, true}, {0, 8, true}, {0, 7, false}} {
		stored, err := f.PutDeadLetter(ctx, test.p, test.seq, []byte("bad JSON"))
		if stored != test.stored || err != nil {
			t.Errorf("letter %d of partition %d: stored %v, %v, want %v", test.seq, test.p, stored, err, test.stored)
		}
	}
	s, err := f.js.Stream(ctx, events.DeadLetterStream)
	if err != nil {
		t.Fatal(err)
	}
	if n := s.CachedInfo().State.Msgs; n != 3 {
		t.Errorf("%d letters, want 3", n)
	}
	m, err := s.GetLastMsgForSubject(ctx, "lw.dlq.1.7")
	if err != nil || string(m.Data) != "bad JSON" {
		t.Errorf("letter is %+v, %v", m, err)
	}
}

func TestDeadLetterWithoutStream(t *testing.T) {
	f := newFixture(t, 1)
	if err := f.js.DeleteStream(testContext(t), events.DeadLetterStream); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if stored, err := f.PutDeadLetter(ctx, 0, 1, nil); stored || !errors.Is(err, jetstream.ErrNoStreamResponse) {
		t.Errorf("stored %v, %v", stored, err)
	}
}

func TestAnswer(t *testing.T) {
	f := newFixture(t, 1)
	worker := f.dial(t)
	sub, err := worker.SubscribeSync("lw.vd.>")
	if err != nil {
		t.Fatal(err)
	}
	if err := worker.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := f.Answer("lw.vd.default.agent.r1.tok", nats.Header{"Lw-Sig": {"k.s"}}, []byte("allow")); err != nil {
		t.Fatal(err)
	}
	m, err := sub.NextMsg(testWait)
	if err != nil || string(m.Data) != "allow" || m.Header.Get("Lw-Sig") != "k.s" {
		t.Errorf("answer is %+v, %v", m, err)
	}
	f.stop(t)
	if err := f.Answer("lw.vd.default.agent.r1.tok", nil, nil); err == nil {
		t.Error("an answer was taken while there is no connection")
	}
}

func TestEventNotFound(t *testing.T) {
	f := newFixture(t, 1)
	f.publish(t, 0, 1, 1)
	for _, seq := range []uint64{0, 2, 1 << 40} {
		if _, err := f.Event(testContext(t), 0, seq); !errors.Is(err, ErrNotFound) {
			t.Errorf("event %d: %v, want %v", seq, err, ErrNotFound)
		}
	}
	if _, err := f.Event(testContext(t), 5, 1); err == nil || errors.Is(err, ErrNotFound) {
		t.Errorf("an event of a partition that does not exist: %v", err)
	}
}

func TestEventsOfOneSubject(t *testing.T) {
	f, ctx := newFixture(t, 1), testContext(t)
	for i, agent := range []string{"a", "b", "a", "a", "b", "a"} {
		if err := f.PublishEvent(ctx, events.PartitionSubject(0, "default", agent), strings.Repeat("i", i+1), "", []byte(agent)); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name        string
		agent       string
		from, to, n int
		want        string
	}{
		{"all", "a", 1, 99, 99, "[1 3 4 6]"}, {"from 0", "a", 0, 99, 99, "[1 3 4 6]"}, {"another", "b", 1, 6, 99, "[2 5]"},
		{"from one on", "a", 2, 6, 99, "[3 4 6]"}, {"up to one", "a", 1, 5, 99, "[1 3 4]"}, {"until enough", "a", 1, 99, 2, "[1 3]"}, {"none", "c", 1, 99, 99, "[]"},
	} {
		seqs := []uint64{}
		err := f.EventsOf(ctx, 0, events.PartitionSubject(0, "default", c.agent), uint64(c.from), uint64(c.to), func(m Msg) bool {
			if string(m.Data) != c.agent || m.Stored.IsZero() {
				t.Errorf("%s: %+v", c.name, m)
			}
			seqs = append(seqs, m.Seq)
			return len(seqs) < c.n
		})
		if got := fmt.Sprint(seqs); err != nil || got != c.want {
			t.Errorf("%s: %s, %v, want %s", c.name, got, err, c.want)
		}
	}
}
