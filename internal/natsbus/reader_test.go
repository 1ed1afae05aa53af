package natsbus

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
)

// wantEvents checks that msgs are the events from to to of partition p, one by one.
func wantEvents(t *testing.T, msgs []Msg, p, from, to int) {
	t.Helper()
	if len(msgs) != to-from+1 {
		t.Errorf("partition %d: %d messages, want %d", p, len(msgs), to-from+1)
	}
	for i, m := range msgs {
		want := fmt.Sprintf("event %d", from+i)
		if m.IsGap() || m.Partition != p || m.Seq != uint64(from+i) || string(m.Data) != want {
			t.Fatalf("message %d is %+v (%s), want sequence %d of partition %d with %q", i, m, m.Data, from+i, p, want)
		}
	}
}

func TestReadInOrderAcrossPartitions(t *testing.T) {
	const each = 5000
	f := newFixture(t, 4)
	for p := range 4 {
		f.publish(t, p, 1, each)
	}
	r := f.reader(t, ReaderConfig{Watch: time.Second})
	start := time.Now()
	for p := range 4 {
		if err := r.Add(p, 1, time.Time{}); err != nil {
			t.Fatal(err)
		}
	}
	ctx, got := testContext(t), make([][]Msg, 4)
	for n := 0; n < 4*each; {
		msgs, err := r.Fetch(ctx, 1000)
		if err != nil {
			t.Fatal(err)
		}
		if len(msgs) > 1000 {
			t.Fatalf("Fetch returned %d messages, more than asked for", len(msgs))
		}
		n += len(msgs)
		runs := map[int]bool{}
		for i, m := range msgs {
			if i > 0 && m.Partition == msgs[i-1].Partition {
				continue
			}
			if runs[m.Partition] {
				t.Fatalf("partition %d stands in two places of one fetch", m.Partition)
			}
			runs[m.Partition] = true
		}
		for _, m := range msgs {
			got[m.Partition] = append(got[m.Partition], m)
		}
	}
	took := time.Since(start)
	t.Logf("read %d messages of 4 partitions in %v: %.0f/s", 4*each, took, 4*each/took.Seconds())
	for p := range 4 {
		wantEvents(t, got[p], p, 1, each)
	}
	if r.Restarts() != 0 {
		t.Errorf("%d restarts in peace", r.Restarts())
	}
}

func TestReadFromCheckpointAndOnward(t *testing.T) {
	f := newFixture(t, 1)
	f.publish(t, 0, 1, 10)
	r := f.reader(t, ReaderConfig{})
	if err := r.Add(0, 8, time.Time{}); err != nil {
		t.Fatal(err)
	}
	wantEvents(t, collect(t, r, 3), 0, 8, 10)
	f.publish(t, 0, 11, 2)
	wantEvents(t, collect(t, r, 2), 0, 11, 12)
}

func TestMessageCarriesWhatItWasStoredWith(t *testing.T) {
	f := newFixture(t, 1)
	before := time.Now().Add(-time.Second)
	m := nats.NewMsg("lw.evp.0.acme.coder")
	m.Header.Set(CheckHeader, "tok,2026-01-01T00:00:00Z")
	m.Header.Set(IDHeader, "id1")
	m.Data = []byte("{}")
	if _, err := f.js.PublishMsg(testContext(t), m); err != nil {
		t.Fatal(err)
	}
	r := f.reader(t, ReaderConfig{})
	if err := r.Add(0, 1, time.Time{}); err != nil {
		t.Fatal(err)
	}
	got := collect(t, r, 1)[0]
	if got.Subject != m.Subject || got.Check != "tok,2026-01-01T00:00:00Z" || got.ID != "id1" || string(got.Data) != "{}" {
		t.Errorf("read %+v", got)
	}
	if got.Stored.Before(before) || got.Stored.After(time.Now().Add(time.Second)) || got.Stored.Location() != time.UTC {
		t.Errorf("stored at %v", got.Stored)
	}
	fetched, err := f.Event(testContext(t), 0, 1)
	if err != nil || !fetched.Stored.Equal(got.Stored) || Digest(&fetched) != Digest(&got) || fetched.Check != got.Check {
		t.Errorf("Event returns %+v, %v; the reader %+v", fetched, err, got)
	}
}

// A client takes a message without data whose header says Status for a word of
// the server; whoever may publish an event could blind the watcher with one.
func TestMessageThatImitatesAStatus(t *testing.T) {
	f := newFixture(t, 1)
	for _, status := range []string{"100", "408", "409", "503"} {
		m := nats.NewMsg("lw.evp.0.default.agent")
		m.Header.Set("Status", status)
		m.Header.Set("Description", "Consumer Deleted")
		if _, err := f.js.PublishMsg(testContext(t), m); err != nil {
			t.Fatal(err)
		}
	}
	f.publish(t, 0, 5, 1)
	r := f.reader(t, ReaderConfig{})
	if err := r.Add(0, 1, time.Time{}); err != nil {
		t.Fatal(err)
	}
	msgs := collect(t, r, 5)
	for i, m := range msgs {
		if m.Seq != uint64(i+1) || m.IsGap() {
			t.Errorf("message %d is %+v", i, m)
		}
	}
	m, err := f.Event(testContext(t), 0, 2)
	if err != nil || len(m.Data) != 0 || Digest(&m) != Digest(&msgs[1]) {
		t.Errorf("Event returns %+v, %v; the reader %+v", m, err, msgs[1])
	}
	if r.Restarts() != 0 {
		t.Errorf("%d restarts", r.Restarts())
	}
}

func TestLargeMessagesAndSmallLanes(t *testing.T) {
	f := newFixture(t, 1)
	body := []byte(strings.Repeat("x", 900<<10))
	const n = 8 // more than one request's bytes
	for range n {
		if _, err := f.js.Publish(testContext(t), "lw.evp.0.default.agent", body); err != nil {
			t.Fatal(err)
		}
	}
	r := f.reader(t, ReaderConfig{LaneMsgs: 3, LaneBytes: 1 << 10, Watch: time.Hour})
	if err := r.Add(0, 1, time.Time{}); err != nil {
		t.Fatal(err)
	}
	for i, m := range collect(t, r, n) {
		if m.Seq != uint64(i+1) || len(m.Data) != len(body) {
			t.Fatalf("message %d has sequence %d and %d bytes", i, m.Seq, len(m.Data))
		}
	}
}

func TestFullLaneHoldsBackItsPartitionOnly(t *testing.T) {
	f := newFixture(t, 2)
	f.publish(t, 0, 1, 300)
	f.publish(t, 1, 1, 10)
	r := f.reader(t, ReaderConfig{LaneMsgs: 100, Watch: time.Hour})
	for p := range 2 {
		if err := r.Add(p, 1, time.Time{}); err != nil {
			t.Fatal(err)
		}
	}
	until(t, "one lane is full and the other has all", func() bool {
		r.queue.mu.Lock()
		defer r.queue.mu.Unlock()
		return len(r.queue.lanes[0].msgs) == 100 && len(r.queue.lanes[1].msgs) == 10
	})
	var got [2][]Msg
	for _, m := range collect(t, r, 310) {
		got[m.Partition] = append(got[m.Partition], m)
	}
	wantEvents(t, got[0], 0, 1, 300)
	wantEvents(t, got[1], 1, 1, 10)
}

func TestAddAndRemove(t *testing.T) {
	f := newFixture(t, 2)
	f.publish(t, 0, 1, 5)
	f.publish(t, 1, 1, 5)
	r := f.reader(t, ReaderConfig{LaneMsgs: 2})
	for p := range 2 {
		if err := r.Add(p, 1, time.Time{}); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.Add(0, 1, time.Time{}); err == nil {
		t.Error("a partition was added twice")
	}
	r.Remove(0)
	r.Remove(0)
	wantEvents(t, collect(t, r, 5), 1, 1, 5)
	if err := r.Add(0, 3, time.Time{}); err != nil {
		t.Fatal(err)
	}
	wantEvents(t, collect(t, r, 3), 0, 3, 5)
}

func TestFetchEnds(t *testing.T) {
	f := newFixture(t, 1)
	r := f.reader(t, ReaderConfig{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.Fetch(ctx, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("Fetch with a context that has ended: %v", err)
	}
	ended := make(chan error)
	go func() {
		_, err := r.Fetch(t.Context(), 1)
		ended <- err
	}()
	r.Close()
	r.Close()
	if err := <-ended; !errors.Is(err, ErrClosed) {
		t.Errorf("Fetch on a closed reader: %v", err)
	}
	if err := r.Add(0, 1, time.Time{}); err == nil {
		t.Error("a closed reader took a partition")
	}
}
