package natsbus

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// Msg is one stored message, or a gap: sequences that the stream does not hold any more.
type Msg struct {
	Partition int
	Seq       uint64    // stream sequence; of a gap, the last one missing
	GapFrom   uint64    // first missing sequence; 0 where this is a message
	Stored    time.Time // when the stream stored it, UTC; of a gap, zero
	Subject   string
	Check     string // header Lw-Check, empty where the event asks nothing
	ID        string // header Nats-Msg-Id
	Sig       string // header Lw-Sig, empty where nobody signed it
	Data      []byte // owned by the receiver
}

// IsGap reports whether m stands for missing sequences GapFrom to Seq.
func (m *Msg) IsGap() bool { return m.GapFrom != 0 }

// ReaderConfig bounds a Reader; a zero field means its default.
type ReaderConfig struct {
	Name      string        // prefix of its consumers' names, to tell instances apart; default "loopwatch"
	LaneMsgs  int           // messages of one partition waiting to be fetched; default 2,048
	LaneBytes int           // payload bytes of one partition waiting to be fetched; default 4 MiB
	Watch     time.Duration // how often the progress of partitions is checked; default 1 s
}

// Reader reads the event streams of the partitions it was given, each in
// order and without a hole that is not reported. It never acknowledges:
// where a reader starts is its caller's business. One goroutine fetches;
// Add and Remove may be called from any.
type Reader struct {
	bus      *Bus
	cfg      ReaderConfig
	queue    *queue
	restarts atomic.Uint64

	ctx    context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup

	mu    sync.Mutex
	reads map[int]*partitionReader
}

// NewReader returns a reader of no partition. Close it.
func (b *Bus) NewReader(cfg ReaderConfig) *Reader {
	cfg.Name = consumerPrefix(cmp.Or(cfg.Name, "loopwatch"))
	cfg.Watch = cmp.Or(cfg.Watch, time.Second)
	r := &Reader{
		bus: b, cfg: cfg, reads: map[int]*partitionReader{},
		queue: newQueue(cmp.Or(cfg.LaneMsgs, 2048), cmp.Or(cfg.LaneBytes, 4<<20)),
	}
	r.ctx, r.cancel = context.WithCancel(context.Background())
	r.wg.Go(r.watch)
	return r
}

// Add reads partition p from sequence from (1 is the first ever stored) on, as
// long as the stream is the one that was created at created (StreamState, as
// Verify returns it); a zero created takes the stream that is found first. It
// returns at once; an unreachable bus is retried until Remove or Close. Adding
// a partition that is read already is an error.
func (r *Reader) Add(p int, from uint64, created time.Time) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	lane := r.queue.add(p)
	if lane == nil {
		return fmt.Errorf("read partition %d: it is read already, or the reader is closed", p)
	}
	ctx, cancel := context.WithCancel(r.ctx)
	pr := &partitionReader{r: r, p: p, lane: lane, cancel: cancel, done: make(chan struct{}), restart: make(chan struct{}, 1)}
	if !created.IsZero() {
		pr.created.Store(&created)
	}
	pr.next.Store(max(from, 1))
	r.reads[p] = pr
	r.wg.Go(func() { pr.run(ctx) })
	return nil
}

// Remove stops reading p and drops what waits of it; afterwards Fetch returns
// nothing of p. Removing what is not read does nothing.
func (r *Reader) Remove(p int) {
	r.mu.Lock()
	pr := r.reads[p]
	delete(r.reads, p)
	r.mu.Unlock()
	if pr != nil {
		pr.cancel()
		<-pr.done
		r.queue.drop(pr.lane)
	}
}

// Fetch returns up to n (at least 1) waiting messages: at once where any wait, else as
// soon as one does. Messages of one partition stand together, in sequence
// order without a hole: each follows the one before, or a gap. An error is
// ctx's, ErrClosed, or a *StreamError, after which its partition is not read
// any more (Remove it, Verify, Add again) while the others are.
func (r *Reader) Fetch(ctx context.Context, n int) ([]Msg, error) {
	for {
		msgs, err := r.queue.take(max(n, 1))
		if len(msgs) > 0 || err != nil {
			return msgs, err
		}
		select {
		case <-r.queue.ready:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// Restarts counts how often a consumer was made anew because it was lost or
// made no progress, since the reader was made.
func (r *Reader) Restarts() uint64 { return r.restarts.Load() }

// Close stops reading and waits until everything has ended. Fetch returns ErrClosed from then on.
func (r *Reader) Close() {
	r.queue.close()
	r.cancel()
	r.wg.Wait()
}
