package bench

import (
	"bytes"
	"slices"

	"github.com/loopwatch/loopwatch/pkg/events"
)

// history judges a run as the published stuck detector of OpenHands does, in our
// own words: at every call it goes through all events so far, leaves out what
// the user said, and looks for
//
//   - the same call with the same answer four times in a row,
//   - the same call with an error three times in a row,
//   - the same words of the agent three times in a row,
//   - two calls with their answers in turn, three times over.
//
// It is here for what that costs, not for what it finds.
type history []events.Event

// step is one event as the rules compare it.
type step struct {
	call, answer bool
	failed       bool
	what         []byte
}

func stepOf(e *events.Event) step {
	switch {
	case e.Call != nil:
		return step{call: true, what: e.Call.Args}
	case e.Result != nil:
		return step{answer: true, failed: e.Result.Error != nil, what: e.Result.Content}
	case e.Turn != nil:
		return step{what: []byte(e.Turn.Text)}
	}
	return step{}
}

// stuck looks at everything.
func (h history) stuck() bool {
	var calls, answers, words []step
	for i := range h {
		if m := h[i].Message; m != nil && m.Role == "user" {
			continue
		}
		switch s := stepOf(&h[i]); {
		case s.call:
			calls = append(calls, s)
		case s.answer:
			answers = append(answers, s)
		default:
			words = append(words, s)
		}
	}
	n := min(len(calls), len(answers))
	calls, answers = calls[:n], answers[:n]
	return equal(calls, 4, 1) && equal(answers, 4, 1) || equal(calls, 3, 1) && failed(answers, 3) ||
		equal(words, 3, 1) || equal(calls, 6, 2) && equal(answers, 6, 2)
}

// equal reports whether the last n steps repeat with that period.
func equal(s []step, n, period int) bool {
	if len(s) < n {
		return false
	}
	s = s[len(s)-n:]
	for i := period; i < n; i++ {
		if !bytes.Equal(s[i].what, s[i-period].what) {
			return false
		}
	}
	return true
}

func failed(s []step, n int) bool {
	return len(s) >= n && !slices.ContainsFunc(s[len(s)-n:], func(s step) bool { return !s.failed })
}

// historyCosts returns the CPU time of an event at the end of a run against one
// at a tenth of it.
func historyCosts(seed uint64, calls int) (float64, error) {
	var h history
	return growth(seed, calls, [2]int{calls / 10, calls}, calls/20, func(e *events.Event) error {
		if h = append(h, *e); e.Kind == events.ToolCall {
			h.stuck()
		}
		return nil
	})
}
