package natsbus

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/loopwatch/loopwatch/pkg/events"
)

// epochAbove is a judge of epoch records for tests: their data is a number.
func epochAbove(mine int) func(Record) bool {
	return func(r Record) bool {
		var theirs int
		_, err := fmt.Sscanf(string(r.Data), "epoch %d", &theirs)
		return err == nil && theirs > mine
	}
}

// owner opens the log of partition 0 as the owner of an epoch and raises it.
func (f *fixture) owner(t *testing.T, epoch int) *DecisionLog {
	t.Helper()
	l, err := f.OpenLog(testContext(t), 0, epochAbove(epoch))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Append(testContext(t), events.EpochSubject(0), nil, fmt.Appendf(nil, "epoch %d", epoch)); err != nil {
		t.Fatal(err)
	}
	return l
}

const withheld = "lw.decp.0.default.agent.r1"

func appendRecord(t *testing.T, l *DecisionLog, data string) uint64 {
	t.Helper()
	seq, err := l.Append(testContext(t), withheld, nil, []byte(data))
	if err != nil {
		t.Fatalf("append %q: %v", data, err)
	}
	return seq
}

// inject stores a record as anybody on the bus can.
func (f *fixture) inject(t *testing.T, subject, data string) {
	t.Helper()
	if _, err := f.js.Publish(testContext(t), subject, []byte(data)); err != nil {
		t.Fatal(err)
	}
}

// records reads a log from a sequence on.
func records(t *testing.T, l *DecisionLog, from uint64) (data []string) {
	t.Helper()
	err := l.ReadFrom(testContext(t), from, func(r Record) error {
		data = append(data, string(r.Data))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestAppendInOrder(t *testing.T) {
	f := newFixture(t, 1)
	l := f.owner(t, 1)
	for i := range 5 {
		if seq := appendRecord(t, l, fmt.Sprint("d", i)); seq != uint64(i+2) || l.Last() != seq {
			t.Errorf("record %d has sequence %d, last is %d", i, seq, l.Last())
		}
	}
	if got, want := records(t, l, 0), []string{"epoch 1", "d0", "d1", "d2", "d3", "d4"}; !slices.Equal(got, want) {
		t.Errorf("the log holds %v, want %v", got, want)
	}
	if l.Junk() != 0 {
		t.Errorf("junk is %d", l.Junk())
	}
}

func TestAppendPassesJunk(t *testing.T) {
	for name, test := range map[string]struct{ subject, data string }{
		"a worker's acknowledgement": {"lw.decp.0.x", `{"stream":"LW_EV_00","seq":7}`},
		"a forged control":           {"lw.ctlp.0.default.agent.r1", `{"kind":"halt"}`},
		"an epoch without authority": {events.EpochSubject(0), "epoch of mine"},
		"a lower epoch":              {events.EpochSubject(0), "epoch 4"},
		"our own epoch again":        {events.EpochSubject(0), "epoch 5"},
		"an epoch elsewhere":         {"lw.decp.0._lw.other", "epoch 9"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, 1)
			l := f.owner(t, 5)
			for range 3 {
				f.inject(t, test.subject, test.data)
			}
			if seq := appendRecord(t, l, "mine"); seq != 5 {
				t.Errorf("stored at %d, want 5", seq)
			}
			if l.Junk() != 3 {
				t.Errorf("junk is %d, want 3", l.Junk())
			}
			appendRecord(t, l, "next")
			if got, want := records(t, l, 5), []string{"mine", "next"}; !slices.Equal(got, want) {
				t.Errorf("the log ends with %v, want %v", got, want)
			}
		})
	}
}

func TestAppendUnderAFloodOfJunk(t *testing.T) {
	f := newFixture(t, 1)
	l := f.owner(t, 1)
	nc := f.dial(t)
	ctx, stop := context.WithCancel(t.Context())
	flooded := make(chan struct{})
	go func() {
		defer close(flooded)
		pace := time.NewTicker(time.Millisecond)
		defer pace.Stop()
		for ctx.Err() == nil {
			_, _ = nc.Request("lw.decp.0.junk", []byte("junk"), testWait)
			<-pace.C
		}
	}()
	const n = 50
	for i := range n {
		appendRecord(t, l, fmt.Sprint("d", i))
	}
	stop()
	<-flooded
	own := slices.DeleteFunc(records(t, l, 2), func(d string) bool { return d == "junk" })
	if len(own) != n {
		t.Errorf("%d own records, want %d", len(own), n)
	}
	for i, d := range own {
		if d != fmt.Sprint("d", i) {
			t.Fatalf("record %d is %q", i, d)
		}
	}
	if l.Junk() == 0 {
		t.Error("no junk was met")
	}
	s, err := f.js.Stream(testContext(t), events.ControlStream(0))
	if err != nil {
		t.Fatal(err)
	}
	if left := consumersOf(t, s); len(left) != 0 {
		t.Errorf("%d consumers are left", len(left))
	}
}

func TestLostAcknowledgement(t *testing.T) {
	f := newFixture(t, 1)
	l := f.owner(t, 1)
	header := nats.Header{"Lw-Sig": {"k.sig"}}
	twin := &nats.Msg{Subject: withheld, Header: nats.Header{"Lw-Sig": {"k.sig"}, "Nats-Msg-Id": {"any"}}, Data: []byte("mine")}
	f.inject(t, "lw.decp.0.x", "junk before")
	if _, err := f.js.PublishMsg(testContext(t), twin); err != nil {
		t.Fatal(err)
	}
	f.inject(t, "lw.decp.0.x", "junk after")
	seq, err := l.Append(testContext(t), withheld, header, []byte("mine"))
	if err != nil || seq != 3 {
		t.Errorf("Append says %d, %v, want 3", seq, err)
	}
	if l.Last() != 4 || l.Junk() != 2 {
		t.Errorf("last is %d, junk %d; want 4, 2", l.Last(), l.Junk())
	}
	if got, want := records(t, l, 2), []string{"junk before", "mine", "junk after"}; !slices.Equal(got, want) {
		t.Errorf("the log holds %v, want %v", got, want)
	}
}

func TestCopyWithoutOurSignatureIsJunk(t *testing.T) {
	f := newFixture(t, 1)
	l := f.owner(t, 1)
	f.inject(t, withheld, "mine")
	seq, err := l.Append(testContext(t), withheld, nats.Header{"Lw-Sig": {"k.sig"}}, []byte("mine"))
	if err != nil || seq != 3 || l.Junk() != 1 {
		t.Errorf("Append says %d, %v, junk %d; want 3, 1", seq, err, l.Junk())
	}
}

func TestLaterOwnerFences(t *testing.T) {
	f := newFixture(t, 1)
	first := f.owner(t, 1)
	appendRecord(t, first, "first")
	second := f.owner(t, 2)
	for range 2 { // for good, and also when its epoch is known no more
		if _, err := first.Append(testContext(t), withheld, nil, []byte("zombie")); !errors.Is(err, ErrFenced) {
			t.Errorf("the first owner's append: %v, want %v", err, ErrFenced)
		}
	}
	appendRecord(t, second, "second")
	if got, want := records(t, second, 0), []string{"epoch 1", "first", "epoch 2", "second"}; !slices.Equal(got, want) {
		t.Errorf("the log holds %v, want %v", got, want)
	}
	if second.Junk() != 0 {
		t.Errorf("the second owner met %d junk records", second.Junk())
	}
}

func TestFenceBehindOwnRecordStillFences(t *testing.T) {
	f := newFixture(t, 1)
	l := f.owner(t, 1)
	f.inject(t, withheld, "mine") // stored, its acknowledgement lost
	f.owner(t, 2)
	if _, err := l.Append(testContext(t), withheld, nil, []byte("mine")); !errors.Is(err, ErrFenced) {
		t.Errorf("append: %v, want %v", err, ErrFenced)
	}
}

func TestAppendRefusesTheBusOwnHeader(t *testing.T) {
	f := newFixture(t, 1)
	l := f.owner(t, 1)
	for _, key := range []string{"Nats-Msg-Id", "nats-rollup"} {
		if _, err := l.Append(testContext(t), withheld, nats.Header{key: {"x"}}, nil); err == nil || !strings.Contains(err.Error(), "bus' own") {
			t.Errorf("header %s: %v", key, err)
		}
	}
	if l.Last() != 1 {
		t.Errorf("last is %d", l.Last())
	}
}

func TestAppendWaitsForTheServer(t *testing.T) {
	f := newFixture(t, 1)
	l := f.owner(t, 1)
	f.stop(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := l.Append(ctx, withheld, nil, []byte("gone")); !errors.Is(err, context.Canceled) {
		t.Errorf("append without server and time: %v", err)
	}
	stored := make(chan error, 1)
	go func() {
		_, err := l.Append(testContext(t), withheld, nil, []byte("patient"))
		stored <- err
	}()
	f.start(t)
	if err := <-stored; err != nil {
		t.Fatal(err)
	}
	if got, want := records(t, l, 0), []string{"epoch 1", "patient"}; !slices.Equal(got, want) {
		t.Errorf("the log holds %v, want %v", got, want)
	}
}

func TestLogIsNotTheOneThatWasOpened(t *testing.T) {
	f := newFixture(t, 1)
	l := f.owner(t, 1)
	appendRecord(t, l, "d1")
	if err := f.js.DeleteStream(testContext(t), events.ControlStream(0)); err != nil {
		t.Fatal(err)
	}
	if _, err := Provision(testContext(t), f.js, f.config); err != nil {
		t.Fatal(err)
	}
	_, err := l.Append(testContext(t), withheld, nil, []byte("d2"))
	var bad *StreamError
	if !errors.As(err, &bad) || bad.Standing != Recreated || bad.Stream != events.ControlStream(0) {
		t.Errorf("append to another log: %v", err)
	}
}
