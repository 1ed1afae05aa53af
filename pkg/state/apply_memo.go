package state

import (
	"github.com/loopwatch/loopwatch/internal/features"
	"github.com/loopwatch/loopwatch/pkg/events"
)

// What makes a step familiar, and an answer worth comparing.
const (
	familiarLines = 3  // lines it must show at least
	familiarNew   = 10 // percent of them that may be new
	rewritten     = 2  // lines of a change that were touched before, so that it is made once more
	stuckChars    = 80 // characters of an answer that is neither error nor negative
	openingTurns  = 1  // first turns, which put the task in the run's own words
	similar       = 60 // percent of words in common
)

// remember folds a completed step into the memo. It is called before the step
// takes effect; effect says whether it will.
func (w *Window) remember(cur *Current, p Pending, f features.Result, effect bool) {
	if p.Call.Waits {
		return
	}
	k, read := &cur.Prior, p.Call.Effect != features.Write
	known := k.Results > 0
	if !known && !f.Error && !f.Negative && cur.Outcome.Count == 0 {
		w.Memo.News++
	}
	cur.Moved = known && (k.Soft != w.Soft || k.Msgs != w.Msgs)
	w.noteIdle(cur, p, known && k.Result == f.Hash && k.Epoch == w.Epoch)
	cur.Familiar = w.noteLines(f.Lines) && read && !effect
	switch shown := &w.Memo.Familiar; {
	case !cur.SameRound || shown.Len() == 0:
		shown.Push(cur.Familiar)
	case !cur.Familiar: // one new thing makes the round one that showed something
		*shown.Back(0) = false
	}
	w.noteFailure(cur, p, f)
	if read && !f.Empty && !cur.Moved && (f.Error || f.Negative || f.Chars >= stuckChars) {
		cur.Stuck = w.noteStuck(p, f.Hash)
	}
	for _, h := range p.Call.Payload {
		t := w.Memo.Payloads.Put(h)
		if t.note(h, 0, p.Round, p.Ref) && t.Count > cur.Payload.Count {
			cur.Payload = *t
		}
	}
	if h := p.Call.Restore; h != 0 {
		cur.Restored = w.Memo.Restores.Put(h).add(w.CallNo, p.Round, p.Ref)
	}
	rewrote := effect && w.noteTouched(p.Call.Touched)
	if f.Failing != 0 && p.Call.Effect != features.Read {
		cur.Check = w.noteCheck(p, f, rewrote)
	}
	if effect || !f.Error && !known {
		w.Memo.Compacted = Tally{}
	}
	if effect {
		w.Memo.Idle = Tally{}
		w.Memo.Familiar.Clear()
	}
}

// noteIdle counts rounds in a row that brought only what they had brought.
func (w *Window) noteIdle(cur *Current, p Pending, had bool) {
	t := &w.Memo.Idle
	switch {
	case !had:
		*t = Tally{}
	case cur.SameRound:
	default:
		t.note(0, w.Msgs, p.Round, p.Ref)
	}
}

// noteStuck counts equal answers of a tool in a row and returns the row where
// this one made it longer. Where the tool was asked different things in a round,
// equal answers neither count nor end it.
func (w *Window) noteStuck(p Pending, h features.Hash) Tally {
	t := w.Memo.Stuck.Put(p.Call.Tool)
	switch {
	case !w.Together(p.Call.Tool, p.Round):
		if t.note(h, w.Epoch, p.Round, p.Ref) {
			return *t
		}
	case t.Hash != h || t.Mark != w.Epoch:
		*t = Tally{}
	case t.Count > 0 && t.Round == p.Round: // counted before the others were asked
		t.Count, t.Round = t.Count-1, t.Round-1
	}
	return Tally{}
}

// noteLines remembers the lines of a result and reports whether there are
// enough of them and hardly one is new.
func (w *Window) noteLines(lines []features.Hash) bool {
	fresh := 0
	for _, l := range lines {
		if w.Memo.Lines.Add(l) {
			fresh++
		}
	}
	return len(lines) >= familiarLines && fresh*100 <= len(lines)*familiarNew
}

func (w *Window) noteFailure(cur *Current, p Pending, f features.Result) {
	fails := &w.Memo.Fails
	if !f.Error || fails.Len() > 0 && fails.Back(0).Tool != p.Call.Tool {
		fails.Clear()
	}
	if f.Error && !cur.SameRound {
		fails.Push(Failure{Tool: p.Call.Tool, Key: p.Call.Key, Result: f.Hash, Round: p.Round, Call: p.Ref})
	}
}

// noteTouched remembers the lines that a change wrote or replaced, and reports
// whether enough of them were touched before: it makes a change once more.
func (w *Window) noteTouched(lines []features.Hash) bool {
	known := 0
	for _, l := range lines {
		if w.Memo.Touched.Has(l) {
			known++
		}
	}
	for _, l := range lines { // only now: what is replaced and what replaces it have lines in common
		w.Memo.Touched.Add(l)
	}
	if known < rewritten {
		return false
	}
	w.Memo.Rewrites++
	return true
}

// noteCheck counts the changes that a failing check outlived, once a round:
// runs of it between which nothing took effect are one. Of an edit that brings
// the check itself, and where the words are few, only a change counts that
// touched again what the run had touched: others may well have other aims.
func (w *Window) noteCheck(p Pending, f features.Result, rewrote bool) Tally {
	h, mark, own := f.Failing, w.Epoch, p.Call.Effect == features.Write
	switch edits := len(p.Call.Touched) > 0; {
	case edits:
		h, own = mix(h), rewrote
	case f.Headline:
		h, mark, own = mix(h), w.Memo.Rewrites, false
	}
	t := w.Memo.Checks.Put(h)
	switch {
	case t.Count == 0:
		*t = Tally{Hash: h, Count: 1, Since: p.Round, Mark: mark, First: p.Ref}
	case p.Round <= t.Round:
		return Tally{}
	case own || t.Mark != mark && len(p.Call.Touched) == 0:
		t.Count++
		t.Mark = mark
	}
	t.Round = p.Round
	return *t
}

// say folds the text of a turn into the memo.
func (w *Window) say(cur *Current, t *events.Turn) {
	m := &w.Memo
	m.Turns++
	if cur.Compacted = t.Compacted; t.Compacted {
		m.Compacted.note(0, 0, cur.Round, cur.Ref)
		return
	}
	for _, p := range cur.Text.Passages {
		switch {
		case m.Turns <= openingTurns:
			m.Said.Add(p)
		case !m.Said.Has(p):
			m.Own.Put(p).add(m.Turns, cur)
		}
	}
	if h := cur.Text.Whole; h != 0 {
		cur.Plan = w.notePlan(cur, h)
	}
	w.noteTalk(cur)
}

// hear remembers what others said, so that quoting it is not restating.
func (w *Window) hear(passages []features.Hash) {
	for _, p := range passages {
		w.Memo.Said.Add(p)
	}
}

func (p *Passage) add(turn uint32, cur *Current) {
	if p.Turns[0] == 0 {
		p.Since, p.First = cur.Round, cur.Ref
	}
	copy(p.Turns[1:], p.Turns[:])
	p.Turns[0] = turn
}

func (w *Window) notePlan(cur *Current, h features.Hash) Plan {
	p := w.Memo.Plans.Put(h)
	switch {
	case p.Halves == 0 || p.Epoch != w.Epoch || p.Msgs != w.Msgs:
		*p = Plan{Halves: 2, Epoch: w.Epoch, Msgs: w.Msgs, Since: cur.Round, First: cur.Ref}
	case p.Soft == w.Soft && p.News == w.Memo.News:
		p.Halves += 2
	default:
		p.Halves++
	}
	p.Soft, p.News = w.Soft, w.Memo.News
	return *p
}

// noteTalk follows what is said while no call is made.
func (w *Window) noteTalk(cur *Current) {
	t, x := &w.Memo.Talk, &cur.Text
	if t.CallNo != w.CallNo || t.First.IsZero() {
		t.Recent.Limit = maxTalk
		t.Recent.items, t.Recent.start = t.Recent.items[:0], 0 // what lies behind is used again
		*t = Talk{Recent: t.Recent, CallNo: w.CallNo, Since: cur.Round, First: cur.Ref}
	}
	if x.Whole == t.Words && x.Words > 0 {
		t.Same++
	} else {
		t.Words, t.Same = x.Whole, 1
	}
	alike := false
	for i := range t.Recent.Len() {
		alike = alike || features.Similar(x.Few, *t.Recent.Back(i)) >= similar
	}
	if alike {
		t.Alike++
	} else {
		t.Alike = 0
	}
	t.keep(x.Few)
}

// keep pushes a copy of the words, in the memory of those that go.
func (t *Talk) keep(words []features.Hash) {
	r := &t.Recent
	var memory []features.Hash
	switch n := len(r.items); {
	case n < r.Limit && n < cap(r.items):
		memory = r.items[:n+1][n]
	case n == r.Limit:
		memory = *r.Back(n - 1)
	}
	if words != nil {
		words = append(memory[:0], words...)
	}
	r.Push(words)
}
