package oracle

import (
	"slices"
	"strings"

	"github.com/loopwatch/loopwatch/pkg/events"
)

// counted are the events that count: since the run was resumed, and not what
// loopwatch injected itself.
func (r *run) counted() (out []events.Event) {
	for _, e := range r.said[r.fresh:] {
		if e.Origin != events.FromLoopwatch {
			out = append(out, e)
		}
	}
	return out
}

// signatures of the calls that count, the last one last.
func (r *run) signatures() (out []string) {
	for _, e := range r.counted() {
		if e.Kind == events.ToolCall {
			out = append(out, signature(r.task.p.preset, e.Call))
		}
	}
	return out
}

// sundry: the second identical call is told, the third ends the run; A-B-A-B is
// told; a record that stays the same for three turns, or a question for what is
// known, is told and then brought before people.
func (r *run) sundry(e events.Event) (found []finding) {
	switch e.Kind {
	case events.ToolCall:
		all := r.signatures()
		last := all[len(all)-1]
		if n := len(all); n >= 4 && all[n-4] == all[n-2] && all[n-3] == last && all[n-2] != last {
			pair := []string{all[n-2], last}
			slices.Sort(pair)
			found = append(found, finding{detector: "cycle", cause: strings.Join(pair, " and "), rungs: []string{inject}})
		}
		if count(all, last) >= 2 {
			found = append(found, finding{detector: "repeat", cause: last, rungs: []string{inject, halting}})
		}
	case events.TurnKind:
		people := []string{inject, escalate}
		if record, n := r.record(); n >= 3 && (e.Turn.State != nil || e.Turn.StateHash != "") {
			found = append(found, finding{detector: "no_progress", cause: record, rungs: people})
		}
		if asked := r.asked(e); len(asked) > 0 {
			found = append(found, finding{detector: "reask", cause: strings.Join(asked, " "), rungs: people})
		}
	}
	return found
}

func count(all []string, one string) (n int) {
	for _, s := range all {
		if s == one {
			n++
		}
	}
	return n
}

// record returns the run's structured record and for how many turns in a row
// it has stood; a finished plan step begins anew.
func (r *run) record() (record string, n int) {
	steps := 0
	for _, e := range r.counted() {
		if e.Kind != events.TurnKind {
			continue
		}
		if s := e.Turn.StepsCompleted; s != nil && *s > steps {
			steps, n = *s, 0
		}
		now := "hash " + e.Turn.StateHash
		if e.Turn.StateHash == "" {
			if e.Turn.State == nil {
				continue
			}
			now = fold(r.task.p.preset, e.Turn.State)
		}
		if now != record {
			record, n = now, 0
		}
		n++
	}
	return record, n
}

// asked returns the fields that the draft asks for and the run holds.
func (r *run) asked(e events.Event) (out []string) {
	var known []string
	for _, x := range r.counted() {
		if x.Kind == events.TurnKind && x.Turn.Known != nil {
			known = x.Turn.Known
		}
	}
	for _, field := range e.Turn.Asks {
		if field != "" && slices.Contains(known, field) && !slices.Contains(out, field) {
			out = append(out, field)
		}
	}
	slices.Sort(out)
	return out
}
