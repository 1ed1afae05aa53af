package report

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/loopwatch/loopwatch/pkg/events"
)

// Bounds of what the tools report tells apart; the rest is summed as other.
const (
	mostTools   = 1000
	mostClasses = 50 // of one tool
	other       = "_other"
)

// Tools is the product backlog: which tools agents repeat, and what the tools
// answered.
type Tools struct {
	Tools []Tool `json:"tools"` // the most wasted money first, then turns, then events
}

// Tool is one tool that was called.
type Tool struct {
	Tool      string  `json:"tool"`
	Calls     int     `json:"calls"`
	Runs      int     `json:"runs"`      // that called it
	Repeating int     `json:"repeating"` // of them with a repeat event of it
	Share     float64 `json:"share"`     // repeating / runs
	Repeats   int     `json:"repeat_events"`
	Turns     float64 `json:"wasted_turns"`
	USD       float64 `json:"wasted_usd"` // of turns whose cost was reported
	Answers   []Class `json:"answers"`    // the most repeated first
}

// Class is one kind of answer that a tool gave again and again.
type Class struct {
	Kind    string  `json:"kind"` // error or answer
	Text    string  `json:"text"` // as it was said first, cleaned and cut
	Repeats int     `json:"repeat_events"`
	Runs    int     `json:"runs"`
	Turns   float64 `json:"wasted_turns"`
	USD     float64 `json:"wasted_usd"`
	Example Ref     `json:"example"` // the run that repeated it most
	Hint    string  `json:"hint"`    // kind of defect, empty where no rule fits; see docs/reports.md
	Because string  `json:"because"` // the evidence for it
}

// Ref names a run.
type Ref struct {
	Tenant string `json:"tenant"`
	Agent  string `json:"agent"`
	Task   string `json:"task"`
	Run    string `json:"run"`
}

// tools is the backlog as it grows.
type tools struct{ byName map[string]*toolSum }

type toolSum struct {
	Tool
	classes map[classID]*classSum
}

// classSum is a class over all runs, with the evidence for its hint.
type classSum struct {
	Class
	most      int // repeat events of the example
	retryable int // runs in which it asks to be tried again
	adjusted  int // runs in which two or more different calls met it again, and nothing else came of the tool afterwards
	closed    int // runs that ended by themselves
	blocked   int // of them with report_blocked
	needs     string
}

func (t *tools) tool(name string) *toolSum {
	if t.byName == nil {
		t.byName = map[string]*toolSum{}
	}
	if s := t.byName[name]; s != nil {
		return s
	}
	if len(t.byName) >= mostTools {
		if name = other; t.byName[name] != nil {
			return t.byName[name]
		}
	}
	s := &toolSum{Tool: Tool{Tool: name}, classes: map[classID]*classSum{}}
	t.byName[name] = s
	return s
}

// add takes in a run that is over, or still live at the end.
func (t *tools) add(r *run, status string) {
	for name, calls := range r.tools {
		s := t.tool(name)
		s.Calls += calls
		s.Runs++
	}
	repeating := map[*toolSum]bool{}
	for _, k := range r.classes {
		if k.events == 0 {
			continue
		}
		s := t.tool(k.id.tool)
		repeating[s] = true
		s.Repeats += k.events
		s.Turns += k.turns
		s.USD += k.usd
		s.class(k).add(r, k, status)
	}
	for s := range repeating {
		s.Repeating++
	}
}

func (s *toolSum) class(k *runClass) *classSum {
	id := k.id
	if s.classes[id] == nil && len(s.classes) >= mostClasses {
		id = classID{tool: other}
	}
	if s.classes[id] == nil {
		kind := "answer"
		if k.failed {
			kind = "error"
		}
		text := k.text
		if id.tool == other {
			kind, text = other, ""
		}
		s.classes[id] = &classSum{Class: Class{Kind: kind, Text: text}}
	}
	return s.classes[id]
}

func (c *classSum) add(r *run, k *runClass, status string) {
	c.Repeats += k.events
	c.Runs++
	c.Turns += k.turns
	c.USD += k.usd
	if k.events > c.most {
		c.most, c.Example = k.events, r.ref()
	}
	if k.retryable {
		c.retryable++
	}
	if len(k.keys) >= 2 && !k.healed {
		c.adjusted++
	}
	switch events.Status(status) {
	case events.Blocked:
		c.blocked++
		c.closed++
		if c.needs == "" {
			c.needs = r.blocker.Needs
		}
	case events.Done, events.Failed:
		c.closed++
	}
}

func (r *run) ref() Ref {
	return Ref{Tenant: r.id.Tenant, Agent: r.agent, Task: r.id.Task, Run: r.id.Run}
}

// result sorts the backlog.
func (t *tools) result() Tools {
	out := Tools{Tools: []Tool{}}
	for _, s := range t.byName {
		tool := s.Tool
		tool.Share = ratio(tool.Repeating, tool.Runs)
		tool.Answers = []Class{}
		for _, c := range s.classes {
			c.Hint, c.Because = c.hint()
			tool.Answers = append(tool.Answers, c.Class)
		}
		slices.SortFunc(tool.Answers, func(a, b Class) int {
			return cmp.Or(cmp.Compare(b.Repeats, a.Repeats), cmp.Compare(a.Text, b.Text))
		})
		out.Tools = append(out.Tools, tool)
	}
	slices.SortFunc(out.Tools, func(a, b Tool) int {
		return cmp.Or(cmp.Compare(b.USD, a.USD), cmp.Compare(b.Turns, a.Turns), cmp.Compare(b.Repeats, a.Repeats), cmp.Compare(a.Tool, b.Tool))
	})
	return out
}

func ratio(k, n int) float64 {
	if n == 0 {
		return 0
	}
	return float64(k) / float64(n)
}

// runsOf says k of n runs.
func runsOf(k, n int) string { return fmt.Sprintf("%d of %d runs", k, n) }
