package state

import (
	"slices"
	"strings"

	"github.com/loopwatch/loopwatch/internal/features"
	"github.com/loopwatch/loopwatch/pkg/events"
)

// Applier folds events into runs. It holds scratch memory only: what it does
// depends on the run, the event and the rules, on nothing else. It is not safe
// for concurrent use.
type Applier struct {
	Features *features.Extractor
}

// Apply folds one event into its run and fills r.Cur. It returns how the event
// stands to those before it; a Duplicate changed nothing but its counter.
func (a *Applier) Apply(r *Run, e *events.Event) Order {
	ref := Ref{Seq: e.StreamSeq, ID: DigestOf(e.ID)}
	order := r.Seq.note(ref.ID, e.Seq)
	r.Cur = Current{Ref: ref, Kind: e.Kind, Order: order, Round: e.Round}
	if order == Duplicate {
		return order
	}
	r.Clock.advance(e.Time.UnixMilli())
	r.StoredMS = max(r.StoredMS, e.Stored.UnixMilli())
	r.LastRef, r.LastSeq = ref, e.Seq
	r.LastID = append(r.LastID[:0], e.ID...)
	if e.Parent != "" && r.Parent == "" {
		r.Parent = strings.Clone(e.Parent)
	}
	if e.Origin == events.FromLoopwatch {
		return order
	}
	r.Cur.Counts = true
	switch e.Kind {
	case events.RunStart:
		a.start(r, e.Start)
	case events.TurnKind:
		r.openRound(e.Round, ref)
		a.turn(r, e.Turn)
	case events.ToolCall:
		r.openRound(e.Round, ref)
		a.call(r, e)
	case events.ToolResult:
		r.openRound(e.Round, ref)
		a.result(r, e)
	case events.Said:
		a.message(r, e.Message)
	case events.RunEnd:
		r.Phase, r.EndedAs = Ended, e.End.Status
	}
	return order
}

// start opens or re-attaches; what the window holds stays.
func (a *Applier) start(r *Run, s *events.Start) {
	r.Phase = Live
	r.Opened++
	r.Window.drop()
	r.serve(s.Model)
	if s.Attempt > 0 {
		r.Attempt = s.Attempt
	}
	if s.Limits != (events.Limits{}) {
		r.Limits = s.Limits
	}
	for _, t := range s.Tools {
		a.learn(r, t.Name, effectOf(t.Effect), t.Polls).Declared = true
	}
}

// serve notes the model that answers, where the event names one.
func (r *Run) serve(model string) {
	if model != "" && model != r.Model {
		r.Model = strings.Clone(model)
	}
}

// hold notes the fields that are held.
func (w *Window) hold(names []string) {
	if slices.Equal(w.Known, names) {
		return
	}
	w.Known = make([]string, len(names))
	for i, n := range names {
		w.Known[i] = strings.Clone(n)
	}
}

// learn remembers a tool of the run, declared or seen.
func (a *Applier) learn(r *Run, name string, effect features.Effect, polls bool) *Tool {
	at := slices.IndexFunc(r.Tools, func(t Tool) bool { return t.Name == name })
	if at < 0 {
		t := Tool{Name: strings.Clone(name), Hash: a.toolHash(name)}
		if len(r.Tools) >= MaxTools {
			t.Effect, t.Polls = effect, polls
			return &t
		}
		at = len(r.Tools)
		r.Tools = append(r.Tools, t)
	}
	t := &r.Tools[at]
	if effect != features.Unknown {
		t.Effect = effect
	}
	t.Polls = t.Polls || polls
	return t
}

// toolHash returns what every call of the tool has as its Tool.
func (a *Applier) toolHash(name string) features.Hash {
	return a.Features.Call(name, nil, "", features.Unknown, false).Tool
}

// effectOf says a declared effect in the words of features.
func effectOf(e events.Effect) features.Effect {
	switch e {
	case events.EffectRead:
		return features.Read
	case events.EffectWrite:
		return features.Write
	}
	return features.Unknown
}

// openRound closes the round before when n is a later one.
func (r *Run) openRound(n int, ref Ref) {
	w := &r.Window
	if n <= w.Round.Number {
		return
	}
	told := w.Round.Untold
	if w.Round.Number > 0 && !w.Round.Counted {
		w.closeRound()
		told = true
	}
	r.Cur.Completed = told && !w.Round.neutral()
	r.Cur.Lap = told && w.Round.Pairs != 0
	w.Round = Round{Number: n, First: ref}
	r.Usage.Turns++
	r.Usage.Unpriced++
	r.Cur.NewTurn = true
}

// closeRound notes the round's completion once. A round without a result that
// counts is no lap.
func (w *Window) closeRound() {
	c := &w.Round
	c.Counted = true
	happened := c.Novel || c.Changed
	if !c.neutral() {
		w.Quiet.add(*c, happened)
		w.Alone.add(*c, happened || c.Waited || c.Stirred)
	}
	if c.Pairs != 0 {
		w.Laps.Push(c.Pairs, c.First)
	}
}

func (a *Applier) message(r *Run, m *events.Message) {
	r.Cur.Text = a.Features.Text(m.Text)
	r.Window.hear(r.Cur.Text.Passages)
	if m.To != "" && r.Cur.Text.Whole != 0 {
		r.tell(a.Features.Hash(m.To) ^ mix(r.Cur.Text.Whole))
	}
	if m.Role == "user" {
		r.Window.Msgs++
		r.Window.Memo.Own.Clear()
		r.Window.Heard = r.Cur.Ref
		r.Window.Alone = Lull{}
	}
}

// tell counts a message to another run; h is of its receiver and words.
func (r *Run) tell(h features.Hash) {
	t := r.Window.Memo.Told.Put(h)
	if t.Count++; t.Count == 1 {
		t.Hash, t.Since, t.First = h, max(r.Window.Round.Number, 1), r.Cur.Ref
	}
	r.Cur.Told = *t
}

func (a *Applier) turn(r *Run, t *events.Turn) {
	w := &r.Window
	r.Cur.Text = a.Features.Text(w.Memo.outside(t.Text))
	r.serve(t.Model)
	r.spend(t)
	if t.Known != nil {
		w.hold(t.Known[:min(len(t.Known), maxKnown)])
	}
	r.Cur.Asked = intersect(t.Asks, w.Known)
	a.progress(w, t, r.Cur.Ref)
	w.say(&r.Cur, t)
}

// progress follows the structured state: unchanged turns in a row, unless a
// plan step was finished.
func (a *Applier) progress(w *Window, t *events.Turn, ref Ref) {
	var h features.Hash
	switch {
	case t.StateHash != "":
		h = a.Features.Hash(t.StateHash)
	case t.State != nil:
		h = a.Features.HashJSON(t.State)
	}
	moved := false
	if t.StepsCompleted != nil {
		moved = *t.StepsCompleted > w.Finished
		w.Finished = *t.StepsCompleted
	}
	switch {
	case h == 0 && moved:
		w.State = Streak{}
	case h == 0:
	case moved || h != w.State.Hash:
		w.State = Streak{Hash: h, Turns: 1, Round: w.Round.Number, First: ref}
	default:
		w.State.Turns++
	}
}

// spend adds what the turn reported to the usage.
func (r *Run) spend(t *events.Turn) {
	u := &r.Usage
	if t.CostUSD != nil {
		u.CostUSD += *t.CostUSD
		if !r.Window.Round.Priced {
			r.Window.Round.Priced = true
			u.Unpriced--
		}
	}
	if t.Usage == nil {
		return
	}
	u.InputTokens += t.Usage.InputTokens
	u.OutputTokens += t.Usage.OutputTokens
	if in := t.Usage.InputTokens; in > 0 {
		if u.FirstInput == 0 {
			u.FirstInput = in
		}
		u.LastInput = in
	}
}

// intersect returns the names in both, in the order of a.
func intersect(a, b []string) []string {
	var out []string
	for _, x := range a {
		for _, y := range b {
			if x == y {
				out = append(out, x)
				break
			}
		}
	}
	return out
}
