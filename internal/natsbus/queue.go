package natsbus

import (
	"context"
	"slices"
	"sync"
)

// queue holds what was read and not yet fetched, in a lane for each partition.
// A full lane holds back its own reader only.
type queue struct {
	laneMsgs  int // bound of one lane; at least one message always fits
	laneBytes int

	mu     sync.Mutex
	lanes  []*lane
	turn   int // where in lanes the next take begins
	closed bool
	ready  chan struct{} // has a token when there may be something to take
}

// lane is the queue of one partition.
type lane struct {
	partition int
	msgs      []Msg
	bytes     int
	failed    *StreamError // delivered once, after msgs
	space     chan struct{}
}

func newQueue(msgs, bytes int) *queue {
	return &queue{laneMsgs: msgs, laneBytes: bytes, ready: make(chan struct{}, 1)}
}

// signal leaves a token in c, which has room for one.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// add makes a lane; it is nil where the partition has one or the queue is closed.
func (q *queue) add(p int) *lane {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed || slices.ContainsFunc(q.lanes, func(l *lane) bool { return l.partition == p }) {
		return nil
	}
	l := &lane{partition: p, space: make(chan struct{}, 1)}
	q.lanes = append(q.lanes, l)
	return l
}

// drop removes a lane with all that waits in it.
func (q *queue) drop(l *lane) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.lanes = slices.DeleteFunc(q.lanes, func(o *lane) bool { return o == l })
}

// close makes every take fail from now on.
func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed, q.lanes = true, nil
	signal(q.ready)
}

// tryPut queues m where the lane has room.
func (q *queue) tryPut(l *lane, m Msg) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(l.msgs) > 0 && (len(l.msgs) >= q.laneMsgs || l.bytes+len(m.Data) > q.laneBytes) {
		return false
	}
	l.msgs = append(l.msgs, m)
	l.bytes += len(m.Data)
	signal(q.ready)
	return true
}

// put queues m, waiting for room until ctx ends.
func (q *queue) put(ctx context.Context, l *lane, m Msg) error {
	for !q.tryPut(l, m) {
		select {
		case <-l.space:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// fail ends a lane with an error.
func (q *queue) fail(l *lane, err *StreamError) {
	q.mu.Lock()
	defer q.mu.Unlock()
	l.failed = err
	signal(q.ready)
}

// take returns up to n waiting messages, none where none wait.
func (q *queue) take(n int) ([]Msg, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return nil, ErrClosed
	}
	waiting := 0
	for _, l := range q.lanes {
		if waiting += len(l.msgs); len(l.msgs) == 0 && l.failed != nil {
			err := l.failed
			l.failed = nil
			return nil, err
		}
	}
	if waiting == 0 {
		return nil, nil
	}
	out := make([]Msg, 0, min(waiting, n))
	for range q.lanes {
		if len(out) == n {
			break
		}
		q.turn = (q.turn + 1) % len(q.lanes)
		out = q.lanes[q.turn].move(out, n-len(out))
	}
	signal(q.ready) // whoever comes next looks again, also for failures
	return out, nil
}

// move appends up to n of the lane's messages to out.
func (l *lane) move(out []Msg, n int) []Msg {
	n = min(len(l.msgs), n)
	for i := range l.msgs[:n] {
		l.bytes -= len(l.msgs[i].Data)
	}
	out = append(out, l.msgs[:n]...)
	rest := copy(l.msgs, l.msgs[n:])
	clear(l.msgs[rest:])
	l.msgs = l.msgs[:rest]
	signal(l.space)
	return out
}
