package detectors

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/loopwatch/loopwatch/internal/features"
	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/state"
)

// trail lists the refs that point at something in the order of the stream,
// each once: the first, and the last of the rest, at most MaxEvents.
func trail(refs ...state.Ref) []state.Ref {
	refs = slices.DeleteFunc(slices.Clone(refs), state.Ref.IsZero)
	slices.SortStableFunc(refs, func(a, b state.Ref) int { return cmp.Compare(a.Seq, b.Seq) })
	refs = slices.Compact(refs)
	if over := len(refs) - MaxEvents; over > 0 {
		refs = slices.Delete(refs, 1, 1+over)
	}
	return refs
}

// toolOf names the tool of a call or result: a result may leave it to its
// call.
func toolOf(w state.View, e *events.Event) string {
	switch {
	case e.Call != nil:
		return e.Call.Tool
	case e.Result != nil && e.Result.Tool != "":
		return e.Result.Tool
	}
	return nameOf(w, w.Cur.Call.Tool)
}

// nameOf returns the name of a tool the run remembers, empty where it does not.
func nameOf(w state.View, tool features.Hash) string {
	if t := w.Tool(tool); t != nil {
		return t.Name
	}
	return ""
}

// causeOf combines hashes, in their order, into the name of a cause.
func causeOf(parts ...features.Hash) features.Hash {
	h := uint64(14695981039346656037)
	for _, p := range parts {
		h = (h ^ uint64(p)) * 1099511628211
		h ^= h >> 31
	}
	return features.Hash(h | 1)
}

// causeOfName is the cause of something that has a name of ours instead of a
// hash.
func causeOfName(kind string, names ...string) features.Hash {
	h := uint64(14695981039346656037)
	for _, s := range append([]string{kind}, names...) {
		for i := range len(s) {
			h = (h ^ uint64(s[i])) * 1099511628211
		}
		h = (h ^ 0xff) * 1099511628211
	}
	return features.Hash(h | 1)
}

// times says how often: "twice", "3 times".
func times(n int) string {
	switch n {
	case 1:
		return "once"
	case 2:
		return "twice"
	}
	return strconv.Itoa(n) + " times"
}

// countOf says how many of something there are: "1 field", "2 fields".
func countOf(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}

// spaced reports whether the result under way is of a polling tool whose calls
// with these arguments are at least gap seconds apart; a gap of 0 is never.
func spaced(w state.View, gap int) bool {
	p, k := &w.Cur.Prior, w.Window.Keys.Get(w.Cur.Step.Key)
	return gap > 0 && w.Cur.Call.Polls && k != nil && p.Results > 0 && k.ElapsedMS-p.ElapsedMS >= int64(gap)*1000
}

// hashOfName makes a name of ours part of a cause.
func hashOfName(name string) features.Hash { return causeOfName(name) }
