package propgen

import (
	"fmt"

	"pgregory.net/rapid"

	"github.com/loopwatch/loopwatch/pkg/events"
)

// Rename returns the sequence with every id replaced one for one: events,
// calls, runs, tasks, tenants and agents by id, tools by tool. Bodies are
// copied where they change.
func Rename(seq []events.Event, id, tool func(string) string) []events.Event {
	some := func(s string) string {
		if s == "" {
			return ""
		}
		return id(s)
	}
	out := make([]events.Event, len(seq))
	for i, e := range seq {
		e.ID, e.Run, e.Parent, e.Task, e.Tenant, e.Agent = some(e.ID), some(e.Run), some(e.Parent), some(e.Task), some(e.Tenant), some(e.Agent)
		switch {
		case e.Start != nil:
			s := *e.Start
			s.Tools = nil
			for _, x := range e.Start.Tools {
				x.Name = tool(x.Name)
				s.Tools = append(s.Tools, x)
			}
			e.Start = &s
		case e.Call != nil:
			c := *e.Call
			c.ID, c.Tool = id(c.ID), tool(c.Tool)
			e.Call = &c
		case e.Result != nil:
			r := *e.Result
			r.CallID = id(r.CallID)
			if r.Tool != "" {
				r.Tool = tool(r.Tool)
			}
			e.Result = &r
		case e.Message != nil:
			m := *e.Message
			m.To = some(m.To)
			e.Message = &m
		}
		out[i] = e
	}
	return out
}

// Shuffle draws another order of the stream in which every run keeps its own:
// the runs of one task stay in their order, too. Places in the stream and
// stored times are those of the new order.
func Shuffle(t *rapid.T, seq []events.Event) []events.Event {
	lanes := map[string][]events.Event{}
	var order []string
	for _, e := range seq {
		if _, ok := lanes[e.Task]; !ok {
			order = append(order, e.Task)
		}
		lanes[e.Task] = append(lanes[e.Task], e)
	}
	var out []events.Event
	for len(order) > 0 {
		at := rapid.IntRange(0, len(order)-1).Draw(t, "task")
		e := lanes[order[at]][0]
		if lanes[order[at]] = lanes[order[at]][1:]; len(lanes[order[at]]) == 0 {
			order = append(order[:at:at], order[at+1:]...)
		}
		e.StreamSeq = uint64(len(out) + 1)
		out = append(out, e)
	}
	return out
}

// Sprinkle draws a sequence with more events in it that must change nothing:
// injections of ours, earlier events of the same run delivered again, and
// replayed results of calls that have had their own. All of it happens at the
// time of the event before; places in the stream and seqs are made whole again.
// The ids of what was put in begin with "more".
func Sprinkle(t *rapid.T, seq []events.Event) []events.Event {
	var out []events.Event
	told := map[string][]events.Event{}
	for i, e := range seq {
		out = append(out, e)
		run := e.Task + "/" + e.Run
		told[run] = append(told[run], e)
		for n := range pick(t, "more", 0, 0, 1, 2) {
			if x, ok := more(t, e, told[run], fmt.Sprintf("more-%d-%d", i, n)); ok {
				out = append(out, x)
			}
		}
	}
	return reseq(out)
}

// more draws one event that is to change nothing, made from what the run told
// up to at; what is new of it has that id. A run that has ended takes none.
func more(t *rapid.T, at events.Event, told []events.Event, id string) (x events.Event, ok bool) {
	x = pick(t, "earlier", told...)
	what := pick(t, "what", "again", "ours", "replayed")
	if what == "again" {
		return x, true
	}
	x.ID, x.Time, x.Stored = id, at.Time, at.Stored
	if what == "ours" {
		x.Origin = events.FromLoopwatch
		return x, at.Kind != events.RunEnd
	}
	if x.Result == nil || at.Kind == events.RunEnd {
		return x, false
	}
	r := *x.Result
	r.Replayed = true
	x.Result = &r
	return x, true
}

// reseq numbers stream positions anew, and the seqs of each run; the same event
// again keeps its seq.
func reseq(seq []events.Event) []events.Event {
	last, of := map[string]uint64{}, map[string]uint64{}
	for i := range seq {
		e := &seq[i]
		e.StreamSeq = uint64(i + 1)
		run := e.Task + "/" + e.Run
		if n, again := of[run+e.ID]; again {
			e.Seq = n
			continue
		}
		last[run]++
		e.Seq = last[run]
		of[run+e.ID] = e.Seq
	}
	return seq
}
