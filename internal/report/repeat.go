package report

import (
	"strings"

	"github.com/loopwatch/loopwatch/internal/features"
	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
)

// classID tells repeated answers apart: the tool, and what it said with
// everything folded away that differs between two answers of one kind.
type classID struct {
	tool  string
	class features.Hash
}

// runClass is one kind of repeated answer within a run.
type runClass struct {
	id        classID
	failed    bool
	retryable bool // it asks to be tried again
	text      string
	events    int
	turns     float64
	usd       float64
	keys      []features.Hash // distinct calls that met it, at most a few
	healed    bool            // the tool brought something else later
}

// maxKeys bounds the distinct calls remembered of a class; rules need two.
const maxKeys = 4

// answered judges a result: a repeat event, or something else.
func (c *Collector) answered(r *run, e *events.Event) {
	cur, res := &r.state.Cur, e.Result
	tool := r.toolOf(e)
	if tool == "" || !cur.Answered {
		return
	}
	repeat := res.Replayed || r.same() || r.rain(c, res)
	if !repeat {
		r.heal(tool, cur.Step.Error)
		r.turn.fresh = true
		return
	}
	k := r.classOf(c, tool, res)
	if k == nil {
		return
	}
	k.events++
	if key := cur.Call.Key; len(k.keys) < maxKeys && !contains(k.keys, key) {
		k.keys = append(k.keys, key)
	}
	r.turn.repeats = append(r.turn.repeats, k.id)
}

// same reports whether the step just completed brought nothing new: the answer
// that the same call brought before, a failure of the kind that the tool brought
// before, or the negative answer that it brought before; nothing effective
// happened in between. Waiting is no repeat, nor is a second answer of one round.
func (r *run) same() bool {
	cur := &r.state.Cur
	s := &cur.Step
	if s.Call.IsZero() || cur.Call.Waits || cur.Call.Polls {
		return false
	}
	k := r.state.Window.Keys.Get(s.Key)
	switch {
	case k != nil && k.Futile > 1 && s.Round > cur.Prior.Answered:
		return true
	case s.Error && cur.Error.Count > 1:
		return true
	}
	o := &cur.Outcome
	return cur.Result.Negative && !s.Error && o.Count > 0 && o.Tool == s.Tool && o.Epoch == s.Epoch && s.Round > o.Round
}

// rain reports whether a failure of the infrastructure is one that the tool
// met before, nothing else in between. No detector counts those; a tool that
// answers so for ever belongs into the backlog all the same.
func (r *run) rain(c *Collector, res *events.Result) bool {
	cur := &r.state.Cur
	if !cur.Result.Infra {
		delete(r.weather, cur.Call.Tool)
		return false
	}
	w := r.weather[cur.Call.Tool]
	if class := c.class(res); w.class != class {
		w = weather{class: class}
	}
	w.count++
	if len(r.weather) < maxTools {
		r.weather[cur.Call.Tool] = w
	}
	return w.count > 1
}

// classOf returns the class of a repeated answer, nil where the run has too
// many.
func (r *run) classOf(c *Collector, tool string, res *events.Result) *runClass {
	id := classID{tool: tool, class: c.class(res)}
	if k := r.classes[id]; k != nil {
		return k
	}
	if len(r.classes) >= maxClasses {
		return nil
	}
	k := &runClass{id: id, failed: res.Error != nil || r.state.Cur.Step.Error, text: say(res)}
	k.retryable = k.failed && (res.Error != nil && res.Error.Retryable || asksAgain(k.text))
	r.classes[id] = k
	return k
}

// heal notes that a tool brought something that is no repeat.
func (r *run) heal(tool string, failed bool) {
	if failed {
		return
	}
	for id, k := range r.classes {
		k.healed = k.healed || id.tool == tool
	}
}

// class folds away what differs between two answers of one kind, as it is done
// for errors.
func (c *Collector) class(res *events.Result) features.Hash {
	a := features.Answer{Content: res.Content, Failed: true, Echoes: nil}
	if res.Error != nil {
		a.Message, a.Code = res.Error.Message, res.Error.Code
		if a.Message == "" {
			a.Message = a.Code
		}
	}
	return c.applier.Features.Result(a).Class
}

// toolOf names the tool of a result: its own word, else that of its call.
func (r *run) toolOf(e *events.Event) string {
	if e.Result.Tool != "" {
		return e.Result.Tool
	}
	if t := r.state.Tool(r.state.Cur.Call.Tool); t != nil {
		return t.Name
	}
	return ""
}

// maxExcerpt bounds an example in runes.
const maxExcerpt = 160

// say quotes a result, cleaned and in one line.
func say(res *events.Result) string {
	q := actions.QuoteOf(&events.Event{Result: res})
	if res.Error != nil && q.Error != "" {
		return actions.Sanitise(q.Error, maxExcerpt)
	}
	if strings.HasPrefix(q.Result, `{"$h":`) {
		return "(text withheld)"
	}
	return actions.Sanitise(q.Result, maxExcerpt)
}

func contains(list []features.Hash, h features.Hash) bool {
	for _, x := range list {
		if x == h {
			return true
		}
	}
	return false
}
