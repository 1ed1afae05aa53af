package state

import (
	"slices"

	"github.com/loopwatch/loopwatch/internal/features"
	"github.com/loopwatch/loopwatch/pkg/events"
)

// call notes a call as issued: the model's call always counts, executed or not.
func (a *Applier) call(r *Run, e *events.Event) {
	w, c := &r.Window, e.Call
	tool := a.learn(r, c.Tool, features.Unknown, false)
	f := a.Features.Call(c.Tool, c.Args, c.RawArgs, tool.Effect, tool.Polls)
	r.Cur.Call = f
	r.Usage.Calls++
	w.CallNo++
	w.Memo.Fenced = false

	k := w.Keys.Put(f.Key)
	r.Cur.Prior = *k
	if k.Calls == 0 {
		k.First, k.FirstRound = r.Cur.Ref, e.Round
	}
	k.Calls++
	if e.Round > k.Round {
		k.Rounds++
		k.Round = e.Round
	}
	k.Last = r.Cur.Ref

	w.Calls.Push(Issued{Key: f.Key, Tool: f.Tool, Round: e.Round, Call: r.Cur.Ref})
	w.Cycles.Push(f.Key, r.Cur.Ref)
	if e.Round == w.Round.Number {
		r.Cur.SameRound = w.Round.Calls > 0
		w.Round.Calls++
		w.Round.Keys += mix(f.Key)
	}
	w.Pending.Push(Pending{
		ID: a.Features.Hash(c.ID), Call: f, Ref: r.Cur.Ref, Round: e.Round,
		ElapsedMS: r.Clock.Elapsed, StoredMS: r.StoredMS, TimeoutMS: c.TimeoutMS,
	})
}

// take takes out the open call a result answers: of the same round first, else
// the newest of that id.
func (w *Window) take(id features.Hash, round int) (Pending, bool) {
	found := -1
	for i := range w.Pending.Len() {
		p := w.Pending.Back(i)
		if p.ID != id {
			continue
		}
		if p.Round == round {
			found = i
			break
		}
		if found < 0 {
			found = i
		}
	}
	if found < 0 {
		return Pending{}, false
	}
	return w.Pending.Remove(found), true
}

// result pairs a result with its call and completes a step.
func (a *Applier) result(r *Run, e *events.Event) {
	w, res := &r.Window, e.Result
	p, known := w.take(a.Features.Hash(res.CallID), e.Round)
	r.Cur.Answered = known
	r.Cur.Call, r.Cur.CallSeq = p.Call, p.Ref.Seq
	if known {
		r.Cur.SameRound = p.Round == w.Answered
		w.Answered = p.Round
	}
	if known && p.Round == w.Round.Number {
		r.Cur.SameRound = w.Round.Answers > 0
		w.Round.Answers++
	}
	defer r.complete(p.Round)
	if res.Replayed {
		r.Cur.Counts = false
		return
	}
	if !known {
		return
	}
	f := a.Features.Result(answer(res, p.Call))
	r.Cur.Result = f
	w.hear(f.Passages)
	if f.Infra || p.Call.Effect == features.Think {
		r.Cur.Counts = false
		w.Round.Weather = w.Round.Weather || f.Infra && p.Round == w.Round.Number
		return
	}
	a.step(r, e, p, f)
}

// step folds one completed step into the tables of the window.
func (a *Applier) step(r *Run, e *events.Event, p Pending, f features.Result) {
	w := &r.Window
	k := w.Keys.Put(p.Call.Key)
	k.recall(p)
	r.Cur.Prior = *k
	s := Step{
		Key: p.Call.Key, Tool: p.Call.Tool, Result: f.Hash, Class: f.Class,
		Call: p.Ref, Answer: r.Cur.Ref, Round: p.Round, Epoch: w.Epoch, Error: f.Error,
	}
	o := w.Results.Put(f.Hash)
	if f.Negative {
		o.settle(w, p)
	}
	r.Cur.Outcome = *o
	s.Novel = o.Count == 0
	o.note(p, r.Cur.Ref, w.Epoch)
	if !f.Negative || !w.Together(p.Call.Tool, p.Round) {
		o.Args = p.Call.Args
	}

	again := k.Results > 0 && k.Result == f.Hash
	s.Changed = changed(e.Result, p.Call, f, r)
	advance := effective(e.Result, p.Call, f, again)
	stirred := advance || s.Novel || r.Cur.Outcome.Epoch != w.Epoch
	w.remember(&r.Cur, p, f, advance)
	k.answer(r, p, f, k.Epoch == w.Epoch && !reported(e.Result))
	w.noteError(&r.Cur, p, f)
	if advance {
		w.Epoch++
	} else if !f.Error && r.Cur.Prior.Results == 0 && informs(p.Call.Effect, f) {
		w.Soft++
	}
	k.Epoch, k.Soft, k.Msgs, k.News = w.Epoch, w.Soft, w.Msgs, w.Memo.News
	if p.Call.Waits || p.Call.Sleeps {
		w.Waited = w.CallNo
	}
	if p.Round == w.Round.Number {
		w.Round.Waited = w.Round.Waited || p.Call.Waits || p.Call.Sleeps
		w.Round.Novel = w.Round.Novel || s.Novel
		w.Round.Changed = w.Round.Changed || s.Changed
		w.Round.Stirred = w.Round.Stirred || stirred
		w.Round.Pairs += mix(p.Call.Key ^ mix(f.Hash))
	} else if s.Novel || s.Changed {
		w.Quiet, w.Alone = Lull{}, Lull{}
	} else if stirred {
		w.Alone = Lull{}
	}
	r.Cur.Step = s
	w.Steps.Push(s)
}

// recall counts the call a result answers where memory has dropped it since it
// was issued.
func (k *Key) recall(p Pending) {
	if k.Calls > k.Results {
		return
	}
	if k.Calls == 0 {
		k.First, k.FirstRound = p.Ref, p.Round
	}
	k.Calls++
	if p.Round > k.Round {
		k.Rounds++
		k.Round = p.Round
	}
	k.Last = p.Ref
}

// answer notes a result on the call it belongs to; unchanged says that nothing
// effective happened since its last one. Results of one round count once; one
// that comes late for an earlier round does not count again.
func (k *Key) answer(r *Run, p Pending, f features.Result, unchanged bool) {
	same := unchanged && k.Results > 0 && k.Result == f.Hash
	other := p.Round > k.Answered
	switch {
	case !same:
		k.Same = 1
	case other:
		k.Same++
	}
	switch {
	case !same && !(unchanged && k.Failed && f.Error):
		k.Futile, k.FutileRound, k.FutileFrom = 1, p.Round, p.Ref
	case other:
		k.Futile++
	}
	if k.Results == 0 {
		k.FirstResult, k.FirstCall = r.Cur.Ref, p.Ref
	}
	k.Results++
	k.Result, k.Failed, k.Answered = f.Hash, f.Error, max(k.Answered, p.Round)
	k.CallNo, k.ElapsedMS, k.LastResult = r.Window.CallNo, p.ElapsedMS, r.Cur.Ref
}

// note counts a result for the tool that brought it last.
func (o *Outcome) note(p Pending, ref Ref, epoch uint32) {
	if o.Count == 0 || o.Tool != p.Call.Tool || o.Epoch != epoch {
		*o = Outcome{Tool: p.Call.Tool, Count: 1, Round: p.Round, Epoch: epoch, First: ref}
	} else if p.Round > o.Round {
		o.Count++
		o.Round = p.Round
	}
}

// settle counts the newest round that brought the result once a later one does
// and all that the tool was asked in it is known.
func (o *Outcome) settle(w *Window, p Pending) {
	if o.Count > 0 && o.Tool == p.Call.Tool && o.Epoch == w.Epoch && p.Round > o.Round && !w.Together(o.Tool, o.Round) {
		o.Sole++
	}
}

// complete tells the completion of the round under way when its last result
// came.
func (r *Run) complete(round int) {
	w := &r.Window
	if round == w.Round.Number && w.Round.Complete() && !w.Round.Counted {
		w.closeRound()
		r.Cur.Completed, w.Round.Untold = !w.Round.neutral(), !r.Cur.Counts
		r.Cur.Lap = w.Round.Pairs != 0
	}
}

// changed reports a side effect as a worker or a declaration tells it.
func changed(res *events.Result, c features.Call, f features.Result, r *Run) bool {
	if res.Changed != nil {
		return *res.Changed
	}
	t := r.Tool(c.Tool)
	return t != nil && t.Effect == features.Write && !f.Error
}

// reported reports whether the tool itself said that the world changed.
func reported(res *events.Result) bool { return res.Changed != nil && *res.Changed }

// effective reports whether the step advanced the epoch: the tool said so, or
// it was a write that succeeded and did not bring the result it brought before.
func effective(res *events.Result, c features.Call, f features.Result, again bool) bool {
	if res.Changed != nil {
		return *res.Changed
	}
	return c.Effect == features.Write && !f.Error && !again
}

// informs reports whether a first success of that effect may have changed
// something. Of a tool of unknown effect a long answer reads as content.
func informs(e features.Effect, f features.Result) bool {
	return e == features.Run || e == features.Unknown && f.Chars < contentChars
}

// contentChars is the length from which an answer reads as content.
const contentChars = 300

// noteError counts the error class of a result per tool and over tools; a
// success forgets the tool's classes, an effective change those of a read. The
// class of a shell command's error is too coarse to count, and a status read
// without arguments cannot be adjusted.
func (w *Window) noteError(cur *Current, p Pending, f features.Result) {
	if !f.Error {
		w.Sibling = Errors{}
		w.forgetErrors(p.Call.Tool)
		return
	}
	c := &p.Call
	if plain := c.Effect == features.Read && c.NoArgs; !c.Shell && !plain {
		x := w.Errors.Put(mix(c.Tool) ^ f.Class)
		if c.Effect == features.Read && x.Epoch != w.Epoch {
			*x = Errors{}
		}
		if x.note(p, f.Class, cur.Ref, w.Epoch) {
			cur.Error = *x
		}
	}
	if w.Sibling.Class != f.Class {
		w.Sibling = Errors{}
	}
	if w.Sibling.note(p, f.Class, cur.Ref, w.Epoch) {
		cur.Sibling = w.Sibling
	}
}

func (w *Window) forgetErrors(tool features.Hash) {
	var gone [maxErrors]features.Hash
	n := 0
	w.Errors.Each(func(h features.Hash, x *Errors) bool {
		if len(x.Tools) > 0 && x.Tools[0] == tool {
			gone[n] = h
			n++
		}
		return n < len(gone)
	})
	for _, h := range gone[:n] {
		w.Errors.Delete(h)
	}
}

// note counts one failure and reports whether it did; failures of one round are
// one piece of evidence.
func (x *Errors) note(p Pending, class features.Hash, ref Ref, epoch uint32) bool {
	if x.Count == 0 {
		*x = Errors{Class: class, First: ref, Since: p.Round}
	}
	counted := x.Count == 0 || p.Round > x.Round
	if counted {
		x.Count++
	}
	x.Round, x.Epoch, x.Last = max(x.Round, p.Round), epoch, ref
	if len(x.Tools) < maxErrorTools && !slices.Contains(x.Tools, p.Call.Tool) {
		x.Tools = append(x.Tools, p.Call.Tool)
	}
	return counted
}

// maxErrorTools bounds the tools that are told of an error class.
const maxErrorTools = 8

// answer says a result in the words of features.
func answer(res *events.Result, c features.Call) features.Answer {
	out := features.Answer{
		Tool: res.Tool, Content: res.Content, Truncated: res.Truncated, SHA: res.ContentSHA, Echoes: c.Echoes,
	}
	if res.Error != nil {
		out.Failed, out.Message, out.Code, out.Retryable = true, res.Error.Message, res.Error.Code, res.Error.Retryable
	}
	return out
}

// mix spreads a hash so that sums of mixed hashes tell sets apart.
func mix(h features.Hash) features.Hash {
	x := uint64(h) * 0x9E3779B97F4A7C15
	x ^= x >> 29
	x *= 0xBF58476D1CE4E5B9
	return features.Hash(x ^ x>>32)
}
