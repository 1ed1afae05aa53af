package natsbus

import (
	"context"
	"errors"
	"slices"
	"testing"
)

// filled returns a queue with a lane of n messages for each n.
func filled(t *testing.T, lengths ...int) *queue {
	t.Helper()
	q := newQueue(1000, 1<<20)
	for p, n := range lengths {
		l := q.add(p)
		for i := range n {
			if !q.tryPut(l, Msg{Partition: p, Seq: uint64(i + 1)}) {
				t.Fatal("no room")
			}
		}
	}
	return q
}

// counts takes max messages and says how many of each partition they are.
func counts(t *testing.T, q *queue, max, partitions int) []int {
	t.Helper()
	msgs, err := q.take(max)
	if err != nil {
		t.Fatal(err)
	}
	n := make([]int, partitions)
	for _, m := range msgs {
		n[m.Partition]++
	}
	return n
}

func TestTakeGoesRound(t *testing.T) {
	q := filled(t, 250, 30, 40)
	for i, want := range [][]int{{30, 30, 40}, {100, 0, 0}, {100, 0, 0}, {20, 0, 0}, {0, 0, 0}} {
		if got := counts(t, q, 100, 3); !slices.Equal(got, want) {
			t.Errorf("take %d gives %v, want %v", i, got, want)
		}
	}
}

func TestNobodyStarves(t *testing.T) {
	q := filled(t, 500, 500, 500)
	var got [3]int
	for range 3 {
		for p, n := range counts(t, q, 100, 3) {
			got[p] += n
		}
	}
	if got != [3]int{100, 100, 100} {
		t.Errorf("three takes of 100 gave %v", got)
	}
}

func TestTakeKeepsOrderAcrossPartialTakes(t *testing.T) {
	q := filled(t, 10)
	var seqs []uint64
	for range 4 {
		msgs, err := q.take(3)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range msgs {
			seqs = append(seqs, m.Seq)
		}
	}
	if want := []uint64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}; !slices.Equal(seqs, want) {
		t.Errorf("took %v", seqs)
	}
}

func TestLaneBounds(t *testing.T) {
	for name, test := range map[string]struct {
		msgs, bytes int
		sizes       []int
		want        int // how many fit
	}{
		"by number":                 {3, 1000, []int{1, 1, 1, 1}, 3},
		"by bytes":                  {100, 10, []int{4, 4, 4}, 2},
		"exactly full":              {100, 10, []int{5, 5, 0, 1}, 3},
		"one too large still fits":  {100, 10, []int{50, 1}, 1},
		"the large one waits first": {100, 10, []int{1, 50}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			q := newQueue(test.msgs, test.bytes)
			l := q.add(0)
			fit := 0
			for _, size := range test.sizes {
				if !q.tryPut(l, Msg{Data: make([]byte, size)}) {
					break
				}
				fit++
			}
			if fit != test.want {
				t.Errorf("%d fit, want %d", fit, test.want)
			}
			if _, err := q.take(100); err != nil || l.bytes != 0 {
				t.Errorf("after the take %d bytes are counted, %v", l.bytes, err)
			}
		})
	}
}

func TestPutWaitsForRoom(t *testing.T) {
	q := newQueue(1, 1000)
	l := q.add(0)
	put := make(chan error)
	go func() {
		for i := range 3 {
			if err := q.put(t.Context(), l, Msg{Seq: uint64(i + 1)}); err != nil {
				put <- err
			}
		}
		put <- nil
	}()
	for want := uint64(1); want <= 3; {
		<-q.ready
		msgs, err := q.take(10)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range msgs {
			if m.Seq != want {
				t.Fatalf("took %d, want %d", m.Seq, want)
			}
			want++
		}
	}
	if err := <-put; err != nil {
		t.Fatal(err)
	}
	q.tryPut(l, Msg{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := q.put(ctx, l, Msg{}); !errors.Is(err, context.Canceled) {
		t.Errorf("put into a full lane: %v", err)
	}
}

func TestFailureComesAfterWhatWaits(t *testing.T) {
	q := filled(t, 3, 3)
	q.fail(q.lanes[0], &StreamError{Partition: 0})
	if got := counts(t, q, 100, 2); !slices.Equal(got, []int{3, 3}) {
		t.Errorf("took %v", got)
	}
	var bad *StreamError
	if _, err := q.take(100); !errors.As(err, &bad) || bad.Partition != 0 {
		t.Errorf("then %v", err)
	}
	if msgs, err := q.take(100); msgs != nil || err != nil {
		t.Errorf("and once more %v, %v", msgs, err)
	}
}
