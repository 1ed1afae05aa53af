package oracle

import (
	"cmp"
	"slices"
	"time"

	"github.com/loopwatch/loopwatch/pkg/events"
)

// Message is one stored message, as the stream of a partition holds it.
type Message struct {
	Partition int
	Seq       uint64    // in its stream, from 1
	Subject   string    // where it is stored; empty in a trace that does not say
	Stored    time.Time // zero where the event itself says
	Data      []byte
}

// Buckets count where the stored events of one partition end. They add up to
// its last sequence.
type Buckets struct {
	Applied, Duplicate, Late, Rejected, Gap uint64
}

// Total is the sum of all buckets.
func (b Buckets) Total() uint64 { return b.Applied + b.Duplicate + b.Late + b.Rejected + b.Gap }

// Standing is what can be said of a run after the last message.
type Standing struct {
	Tenant, Task, Run string
	Phase             string // live, ended or lost
	Halted            bool
	Turns, Calls      int
	Duplicates, Late  int
	Gaps, LastSeq     uint64
}

// Decision is one acted decision. Incident numbers the incidents of a task in
// the order in which they were first acted on, from 1.
type Decision struct {
	Tenant, Task, Run, Event, Detector, Kind string
	Incident, Rung                           int
}

// Verdict is everything the oracle says of a stream.
type Verdict struct {
	Buckets   map[int]Buckets
	Standings []Standing // by tenant, task and run
	Decisions []Decision // task by task, in stream order, sorted within one event
}

// Judge judges messages under the preset sundry or forty-times. The messages of
// a partition stand in the order of their sequences; partitions share nothing.
// Partitions is how many there are, for the identity check of messages that
// name their subject.
func Judge(preset string, partitions int, stored []Message) Verdict {
	v := Verdict{Buckets: map[int]Buckets{}}
	byPartition := map[int]*partition{}
	var order []*partition
	for _, m := range stored {
		p := byPartition[m.Partition]
		if p == nil {
			p = &partition{preset: preset, of: partitions, tasks: map[string]*task{}}
			byPartition[m.Partition] = p
			order = append(order, p)
		}
		p.take(m)
		v.Buckets[m.Partition] = p.buckets
	}
	for _, p := range order {
		for _, t := range p.order {
			v.Decisions = append(v.Decisions, Ordered(t.acted)...)
			for _, r := range t.runs {
				v.Standings = append(v.Standings, r.standing())
			}
		}
	}
	slices.SortFunc(v.Standings, func(a, b Standing) int {
		return cmp.Or(cmp.Compare(a.Tenant, b.Tenant), cmp.Compare(a.Task, b.Task), cmp.Compare(a.Run, b.Run))
	})
	slices.SortStableFunc(v.Decisions, byTask)
	return v
}

// Acted is an acted decision with whatever names its incident.
type Acted struct {
	Decision
	Cause string
}

// Ordered sorts the acted decisions of one task, which stand in stream order,
// within each event, and numbers their incidents.
func Ordered(in []Acted) []Decision {
	in = slices.Clone(in)
	for i := 0; i < len(in); {
		j := i
		for j < len(in) && in[j].Event == in[i].Event {
			j++
		}
		slices.SortStableFunc(in[i:j], func(a, b Acted) int {
			return cmp.Or(cmp.Compare(a.Run, b.Run), cmp.Compare(a.Detector, b.Detector), cmp.Compare(a.Kind, b.Kind), a.Rung-b.Rung)
		})
		i = j
	}
	numbers := map[string]int{}
	var out []Decision
	for _, a := range in {
		if numbers[a.Cause] == 0 {
			numbers[a.Cause] = len(numbers) + 1
		}
		a.Incident = numbers[a.Cause]
		out = append(out, a.Decision)
	}
	return out
}

func byTask(a, b Decision) int {
	return cmp.Or(cmp.Compare(a.Tenant, b.Tenant), cmp.Compare(a.Task, b.Task))
}

// reject reports whether the event may not stand where it was found.
func reject(m Message, e events.Event, partitions int) bool {
	if m.Subject == "" {
		return false
	}
	at, ok := events.ParsePartitionSubject(m.Subject)
	return !ok || events.CheckIdentity(e, at, partitions) != nil
}
