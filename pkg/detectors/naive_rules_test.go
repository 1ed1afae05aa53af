package detectors_test

import (
	"slices"
	"strings"
	"time"

	"github.com/loopwatch/loopwatch/pkg/detectors"
	"github.com/loopwatch/loopwatch/pkg/events"
)

// repeatOnCall says how often the call at i was issued, 0 where the detector is
// silent.
func (h history) repeatOnCall(d detectors.Repeat, i int) int {
	if h[i].Kind != events.ToolCall {
		return 0
	}
	n, left, rounds := 0, d.Window, map[int]bool{}
	for j := i; j >= 0 && (d.Window == 0 || left > 0); j-- {
		if h[j].Kind != events.ToolCall {
			continue
		}
		left--
		if h.key(j) != h.key(i) {
			continue
		}
		if j < i && h[j].Round == h[i].Round && d.Count == detectors.CountRounds {
			return 0 // the round was counted at its first such call
		}
		n++
		rounds[h[j].Round] = true
	}
	if d.Count == detectors.CountRounds {
		n = len(rounds)
	}
	if n < d.Occurrence {
		return 0
	}
	return n
}

// repeatOnResult says how futile the event at i is, in sixths of a step.
func (h history) repeatOnResult(d detectors.Repeat, i int) int {
	if h[i].Kind == events.ToolCall {
		return h.unanswered(i)
	}
	if !h.evidence(i) || h.secondOfRound(i) {
		return 0
	}
	c, b := h.call(i), h.before(i)
	switch {
	case h.any(-1, i, func(j int) bool {
		return h.evidence(j) && h.key(h.call(j)) == h.key(c) && h[h.call(j)].Round >= h[c].Round
	}):
		return 0 // it comes late, a later round has had it
	case b < 0 || h.says(b) != h.says(i) && !(d.Unchanged && h.failed(b) && h.failed(i)):
		return 0
	case d.Unchanged && h.any(b, i+1, h.effective):
		return 0
	case h.any(h.lastCall(b), i+1, h.waited): // in between, or beside the call before
		return 0
	case h.spaced(d.PollGap, i):
		return 0
	}
	weight := 6
	if d.Unchanged && !(h.effect(c) == events.EffectWrite && h.says(b) == h.says(i)) {
		if h.any(b, i, h.news) {
			weight = min(weight, 4)
		}
		if h.any(b, i, h.user) {
			weight = min(weight, 3)
		}
	}
	if h.says(i) == shortAnswer && h.effect(c) == events.EffectUnknown {
		weight = min(weight, 3)
	}
	if h[c].Call.Tool == "p" {
		weight = min(weight, 2)
	}
	return weight
}

// lastCall returns the place of the newest call before i.
func (h history) lastCall(i int) int {
	for i--; h[i].Kind != events.ToolCall; i-- {
	}
	return i
}

// spaced reports whether the result at i is of a polling tool that was called
// so many seconds after its answered call before.
func (h history) spaced(gap, i int) bool {
	c := h.call(i)
	return gap > 0 && h.evidence(i) && h[c].Call.Tool == "p" && h.before(i) >= 0 &&
		h[c].Time.Sub(h[h.call(h.before(i))].Time) >= time.Duration(gap)*time.Second
}

// unanswered says how futile it is to issue the call at i while the same call,
// issued in an earlier round, has no answer.
func (h history) unanswered(i int) int {
	for j := i - 1; j >= 0; j-- {
		if h[j].Kind != events.ToolCall {
			continue
		}
		if h[j].Call.Tool == "sleep" {
			return 0
		}
		answered := h.any(j, i, func(k int) bool { return h.call(k) == j })
		if h.key(j) == h.key(i) && h[j].Round < h[i].Round && !answered {
			return 6
		}
		return 0
	}
	return 0
}

// period returns the shortest period, from shortest on, with which the last
// laps of a sequence are equal, 0 for none.
func period(d detectors.Cycle, seq []string) int {
	for p := d.Shortest; p <= d.Longest && p*d.Laps <= len(seq); p++ {
		last := seq[len(seq)-p*d.Laps:]
		if repeats(last, p) && !slices.ContainsFunc([]int{1, 2, 3, 4, 5, 6, 7}[:d.Shortest-1], func(q int) bool { return repeats(last, q) }) {
			return p
		}
	}
	return 0
}

func repeats(seq []string, p int) bool {
	for i := p; i < len(seq); i++ {
		if seq[i] != seq[i-p] {
			return false
		}
	}
	return true
}

// cycleOnCall returns the period that the calls up to i end in.
func (h history) cycleOnCall(d detectors.Cycle, i int) int {
	if h[i].Kind != events.ToolCall {
		return 0
	}
	var seq []string
	for j := range i + 1 {
		if h[j].Kind == events.ToolCall {
			seq = append(seq, h.key(j))
		}
	}
	return period(d, seq)
}

// round is one round as far as it is told.
type round struct {
	number            int
	first, last, done int // places of its first event, its last result, and where it was complete
	calls, answers    int
	pairs             []string // its calls with what they brought
	happened, weather bool
}

// rounds lists the rounds begun up to i.
func (h history) rounds(i int) (out []round) {
	for j := range i + 1 {
		e := h[j]
		if (e.Kind == events.TurnKind || e.Kind == events.ToolCall) && (len(out) == 0 || e.Round > out[len(out)-1].number) {
			out = append(out, round{number: e.Round, first: j})
		}
		if len(out) == 0 {
			continue
		}
		x := &out[len(out)-1]
		switch c := h.call(j); {
		case e.Kind == events.ToolCall:
			x.calls++
		case c >= 0 && h[c].Round == x.number:
			x.answers++
			x.last = j
			x.weather = x.weather || h.weather(j)
			if h.evidence(j) {
				x.pairs = append(x.pairs, h.key(c)+" "+h.says(j))
				x.happened = x.happened || h.happened(j)
			}
		}
	}
	return out
}

// happened reports whether the result at i is a side effect, told or declared,
// or one not seen in the run before.
func (h history) happened(i int) bool {
	declared := h.effect(h.call(i)) == events.EffectWrite && !h.failed(i)
	if h[i].Result.Changed != nil {
		declared = *h[i].Result.Changed
	}
	return declared || !h.any(-1, i, func(j int) bool {
		return h.evidence(j) && h.says(j) == h.says(i)
	})
}

// completed lists the rounds that are complete at i; now reports whether the
// event at i completed the newest of them: as its last result, or because it
// opens the next.
func (h history) completed(i int) (out []round, now bool) {
	all := h.rounds(i)
	for k, x := range all {
		switch {
		case x.calls > 0 && x.answers >= x.calls:
			x.done = x.last
		case k+1 < len(all):
			x.done = all[k+1].first
		default:
			continue
		}
		out = append(out, x)
	}
	if len(out) == 0 {
		return nil, false
	}
	told := out[len(out)-1].done
	if h[told].Kind == events.ToolResult && !h.evidence(told) {
		if len(all) == len(out) {
			return out, false // nobody is asked about it; at the next round
		}
		told = all[len(out)].first
	}
	return out, told == i
}

// late reports whether the result at i belongs to a round that is over.
func (h history) late(i int) bool {
	return h.evidence(i) && h.any(h.call(i), i, func(j int) bool { return h[j].Round > h[h.call(i)].Round })
}

// unknown reports whether the result at i is an effective change or was not
// seen since the last one.
func (h history) unknown(i int) bool {
	last := i - 1
	for ; last >= 0 && !h.effective(last); last-- {
	}
	return h.effective(i) || !h.any(last, i, func(j int) bool { return h.evidence(j) && h.says(j) == h.says(i) })
}

// stirred reports whether a round waited, or brought what unknown says.
func (h history) stirred(x round) bool {
	return h.any(x.first, len(h), func(j int) bool {
		c := h.call(j)
		return h.evidence(j) && h[c].Round == x.number && !h.late(j) && (h.waited(j) || h.unknown(j))
	})
}

// cycleOnResult returns the period that the rounds completed by the event at i
// end in.
func (h history) cycleOnResult(d detectors.Cycle, i int) int {
	done, now := h.completed(i)
	if !now {
		return 0
	}
	var seq []string
	var first []int
	for _, x := range done {
		if len(x.pairs) > 0 {
			slices.Sort(x.pairs)
			seq, first = append(seq, strings.Join(x.pairs, "\n")), append(first, x.first)
		}
	}
	if len(done[len(done)-1].pairs) == 0 {
		return 0 // the round is no entry
	}
	p := period(d, seq)
	if p == 0 {
		return 0
	}
	from := first[len(first)-p]
	if h.spaced(d.PollGap, i) || h.any(from-1, i+1, h.user) || h.any(from-1, i+1, h.waited) {
		return 0
	}
	return p
}

// stagnation says how many rounds in a row brought nothing, 0 where the
// detector is silent.
func (h history) stagnation(d detectors.Stagnation, i int) int {
	done, now := h.completed(i)
	if !now {
		return 0
	}
	anew := func(j int) bool {
		return h.late(j) && (h.happened(j) || d.Patient && h.unknown(j)) || d.Patient && h.user(j)
	}
	n, counted := 0, 0
	for _, x := range done {
		if h.any(counted-1, x.done, anew) {
			n = 0
		}
		switch counted = x.done; {
		case x.weather && !x.happened:
		case x.happened || d.Patient && h.stirred(x):
			n = 0
		default:
			n++
		}
	}
	if x := done[len(done)-1]; n < d.Turns || x.weather || h.any(counted, i, anew) || d.Patient && h.spaced(d.PollGap, i) {
		return 0
	}
	return n
}
