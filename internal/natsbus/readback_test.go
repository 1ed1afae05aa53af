package natsbus

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/loopwatch/loopwatch/pkg/events"
)

func TestReadFrom(t *testing.T) {
	f := newFixture(t, 1)
	l := f.owner(t, 1)
	const n = 3000 // more than one request
	f.flood(t, withheld, n, func(i int) string { return fmt.Sprint(i) })
	for _, from := range []uint64{0, 1, 2, 1500, n + 1, n + 2, n + 50} {
		next := max(from, 1)
		err := l.ReadFrom(testContext(t), from, func(r Record) error {
			if r.Seq != next || r.Seq > 1 && string(r.Data) != fmt.Sprint(r.Seq-2) || r.Stored.IsZero() {
				return fmt.Errorf("record %d follows %d", r.Seq, next-1)
			}
			next++
			return nil
		})
		if err != nil || next != max(from, n+2) {
			t.Errorf("from %d: stopped before %d, %v", from, next, err)
		}
	}
}

func TestReadFromStops(t *testing.T) {
	f := newFixture(t, 1)
	l := f.owner(t, 1)
	enough := errors.New("enough")
	if err := l.ReadFrom(testContext(t), 0, func(Record) error { return enough }); !errors.Is(err, enough) {
		t.Errorf("ReadFrom returns %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := l.ReadFrom(ctx, 0, func(Record) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("ReadFrom with a context that has ended: %v", err)
	}
}

func TestReadFromEmptyLog(t *testing.T) {
	f := newFixture(t, 1)
	l, err := f.OpenLog(testContext(t), 0, epochAbove(1))
	if err != nil {
		t.Fatal(err)
	}
	if got := records(t, l, 0); len(got) != 0 {
		t.Errorf("an empty log holds %v", got)
	}
}

func TestReadFromAcrossARestart(t *testing.T) {
	f := newFixture(t, 1)
	l := f.owner(t, 1)
	f.flood(t, withheld, 2000, func(i int) string { return fmt.Sprint(i) })
	var seqs []uint64
	err := l.ReadFrom(testContext(t), 0, func(r Record) error {
		if seqs = append(seqs, r.Seq); len(seqs) == 100 {
			f.restart(t)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, seq := range seqs {
		if seq != uint64(i+1) {
			t.Fatalf("record %d has sequence %d", i, seq)
		}
	}
	if len(seqs) != 2001 {
		t.Errorf("%d records, want 2001", len(seqs))
	}
}

func TestReadBack(t *testing.T) {
	f := newFixture(t, 1)
	l := f.owner(t, 1)
	for i := range 5 {
		appendRecord(t, l, fmt.Sprint("d", i))
	}
	var got []string
	err := l.ReadBack(testContext(t), func(r Record) bool {
		got = append(got, string(r.Data))
		return string(r.Data) != "d2"
	})
	if want := []string{"d4", "d3", "d2"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("read back %v, %v, want %v", got, err, want)
	}
	got = nil
	err = l.ReadBack(testContext(t), func(r Record) bool { got = append(got, r.Subject); return true })
	if err != nil || len(got) != 6 || got[5] != events.EpochSubject(0) {
		t.Errorf("read back %v, %v", got, err)
	}
}

func TestLogOf(t *testing.T) {
	f := newFixture(t, 1)
	l := f.owner(t, 1)
	const mine = "lw.ctlp.0.acme.coder.r1"
	for i := range 3 {
		appendRecord(t, l, "withheld")
		f.inject(t, mine, fmt.Sprint("c", i))
		f.inject(t, mine+"x", "of another run")
	}
	for stop, want := range map[string][]string{"": {"c0", "c1", "c2"}, "c1": {"c0", "c1"}} {
		var got []string
		err := f.LogOf(testContext(t), 0, mine, func(r Record) bool {
			got = append(got, string(r.Data))
			return string(r.Data) != stop
		})
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("stopping at %q: %v, %v, want %v", stop, got, err, want)
		}
	}
	if err := f.LogOf(testContext(t), 7, mine, func(Record) bool { return true }); err == nil {
		t.Error("a partition that does not exist has a log")
	}
}
