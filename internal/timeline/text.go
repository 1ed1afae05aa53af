package timeline

import (
	"strings"

	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
)

// Bounds of what one line says, in bytes.
const (
	maxName = 40
	maxText = 160
)

// text says in one line what an event says.
func text(e *events.Event) string {
	q := actions.QuoteOf(e)
	switch {
	case e.Call != nil:
		return actions.Sanitise(q.Tool, maxName) + " " + actions.Sanitise(q.Args, maxText)
	case e.Result != nil:
		return answer(e.Result, q)
	case e.Turn != nil:
		return turn(e.Turn)
	case e.Message != nil:
		return said(e.Message)
	case e.Start != nil:
		return start(e.Start)
	case e.End != nil:
		return end(e.End)
	case e.Operator != nil:
		return operator(e.Operator)
	}
	return string(e.Kind)
}

func answer(r *events.Result, q actions.Quote) string {
	s := actions.Sanitise(q.Result, maxText)
	if r.Error != nil {
		s = "error: " + actions.Sanitise(q.Error, maxText)
	}
	var marks []string
	if r.Replayed {
		marks = append(marks, "replayed")
	}
	if r.Changed != nil && *r.Changed {
		marks = append(marks, "changed")
	}
	if r.Changed != nil && !*r.Changed {
		marks = append(marks, "unchanged")
	}
	if r.Truncated {
		marks = append(marks, "truncated")
	}
	if len(marks) > 0 {
		s += " [" + strings.Join(marks, ", ") + "]"
	}
	return s
}

func turn(t *events.Turn) string {
	s := actions.Sanitise(t.Text, maxText)
	if t.Compacted {
		s += " [compacted]"
	}
	if len(t.Asks) > 0 {
		s += " [asks for " + actions.Sanitise(strings.Join(t.Asks, ", "), maxName) + "]"
	}
	return strings.TrimSpace(s + price(t.CostUSD))
}

func said(m *events.Message) string {
	s := actions.Sanitise(m.Role, maxName)
	if m.To != "" {
		s += " to " + actions.Sanitise(m.To, maxName)
	}
	return s + ": " + actions.Sanitise(m.Text, maxText)
}

func start(s *events.Start) string {
	out := "begins"
	if s.Attempt > 1 {
		out = "begins again"
	}
	if s.Model != "" {
		out += " with " + actions.Sanitise(s.Model, maxName)
	}
	if s.Goal != "" {
		out += ": " + actions.Sanitise(s.Goal, maxText)
	}
	return out
}

func end(e *events.End) string {
	s := "ends as " + string(e.Status)
	if e.Reason != "" {
		s += ": " + actions.Sanitise(e.Reason, maxText)
	}
	if e.Blocked != nil {
		s += ": " + actions.Sanitise(e.Blocked.Blocker, maxText)
	}
	return s
}

func operator(o *events.Operator) string {
	s := "operator"
	if o.By != "" {
		s += " " + actions.Sanitise(o.By, maxName)
	}
	s += ": " + o.Action
	for _, more := range []string{o.Reason, o.Note} {
		if more != "" {
			s += ", " + actions.Sanitise(more, maxText)
		}
	}
	return s
}
