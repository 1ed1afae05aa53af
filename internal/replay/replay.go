package replay

import (
	"fmt"
	"slices"
	"time"

	"github.com/loopwatch/loopwatch/internal/features"
	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/state"
)

// Options say how to replay.
type Options struct {
	Policy     *actions.Policy              // obeyed instead of the trace's own; nil obeys the trace, and Fallback until it names one
	Fallback   *actions.Policy              // required where Policy is nil
	Until      time.Time                    // time to which ticks run after a task's last event; zero stops there
	Partitions int                          // of a recorded trace whose events do not name theirs; 0 means 16
	Message    func(*actions.Message) error // gets every decision whole, before emit gets its line; nil for nobody
	Spool      string                       // directory of the temporary spool; empty means the system's
}

// Replay applies events in order. A trace whose events carry their stored time
// is replayed partition by partition as it was; in a hand-made one every task
// has a clock of its own, so that no decision depends on another task. It is
// not safe for concurrent use; Close it.
type Replay struct {
	Summary Summary

	opts  Options
	emit  func(Line) error
	spool *spool
	lanes map[laneID]*lane
	order []laneID       // as they were born
	ours  []events.Event // operators' acts and policies of a hand-made trace, for tasks to come
}

// Summary counts what was replayed.
type Summary struct {
	Events, Runs, Rejected, Acted, Withheld, Injected, Halted, Escalated int
}

// laneID is a partition of a recorded trace, or a task of a hand-made one.
type laneID struct {
	partition int
	task      state.TaskID
}

// New returns a replay that hands every decision that belongs into the
// decision log to emit.
func New(opts Options, emit func(Line) error) (*Replay, error) {
	if opts.Partitions == 0 {
		opts.Partitions = 16
	}
	sp, err := newSpool(opts.Spool)
	if err != nil {
		return nil, err
	}
	return &Replay{opts: opts, emit: emit, spool: sp, lanes: map[laneID]*lane{}}, nil
}

// Close removes the spool.
func (r *Replay) Close() error { return r.spool.close() }

// Feed applies one event. raw is its line, kept for the text that decisions
// quote.
func (r *Replay) Feed(e events.Event, raw []byte) error {
	r.Summary.Events++
	line, err := r.spool.add(raw)
	if err != nil {
		return err
	}
	if !e.Stored.IsZero() {
		return r.recorded(&e, line)
	}
	e.StreamSeq = line
	if e.Kind == events.Tick {
		return nil // a hand-made trace has no partition whose time could pass
	}
	if e.Kind.Ours() {
		e.Stored = e.Time
		r.ours = append(r.ours, e)
		for _, id := range r.laneIDs() {
			if err := r.lanes[id].at(&e); err != nil {
				return err
			}
		}
		return nil
	}
	l, err := r.lane(laneID{partition: -1, task: state.TaskID{Tenant: e.Tenant, Task: e.Task}})
	if err != nil {
		return err
	}
	return l.at(&e)
}

// recorded applies an event in the partition that stored it.
func (r *Replay) recorded(e *events.Event, line uint64) error {
	p := events.Partition(e.Tenant, e.Task, r.opts.Partitions)
	if e.Partition != nil {
		p = *e.Partition
	}
	l, err := r.lane(laneID{partition: p})
	if err != nil {
		return err
	}
	if e.StreamSeq == 0 {
		e.StreamSeq = line
	} else {
		l.places = append(l.places, place{seq: e.StreamSeq, line: line})
	}
	return l.step(e)
}

// Finish lets time pass up to Until and completes the summary.
func (r *Replay) Finish() error {
	for _, id := range r.laneIDs() {
		l := r.lanes[id]
		if !r.opts.Until.IsZero() {
			if err := l.tick(r.opts.Until); err != nil {
				return err
			}
		}
		if err := l.part.EachRun(func(*state.Run) bool { r.Summary.Runs++; return true }); err != nil {
			return err
		}
	}
	return nil
}

// laneIDs returns the lanes in a fixed order.
func (r *Replay) laneIDs() []laneID { return slices.Clone(r.order) }

// hotLanes is how many lanes keep their runs decoded: traces hold run after
// run, so that memory follows the number of runs, not what they did.
const hotLanes = 64

func (r *Replay) lane(id laneID) (*lane, error) {
	if l, ok := r.lanes[id]; ok {
		return l, nil
	}
	l, err := r.newLane(id)
	if err != nil {
		return nil, fmt.Errorf("replay: %w", err)
	}
	r.lanes[id] = l
	r.order = append(r.order, id)
	if old := len(r.order) - 1 - hotLanes; old >= 0 {
		if err := r.lanes[r.order[old]].freeze(); err != nil {
			return nil, err
		}
	}
	for i := range r.ours {
		if err := l.at(&r.ours[i]); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// hashKey makes hashes of a replay; decisions never depend on it.
var hashKey = features.Key{}
