package report

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/loopwatch/loopwatch/pkg/actions"
)

// Blocked groups the runs that gave up properly by what blocked them and what
// they need.
type Blocked struct {
	Runs   int     `json:"runs"`
	Groups []Group `json:"groups"` // the most runs first
}

// Group is one kind of blocker with one kind of need.
type Group struct {
	Blocker   string         `json:"blocker"` // as it was said first
	Needs     string         `json:"needs"`   // as it was said first
	Runs      int            `json:"runs"`
	Agents    map[string]int `json:"agents"`
	Attempted map[string]int `json:"attempted"` // what was tried, by runs
	Example   Ref            `json:"example"`
}

type blocked struct {
	runs   int
	groups map[string]*Group
}

// Bounds of the groups told apart, and of what one group holds.
const (
	mostGroups    = 500
	mostAttempted = 50
)

func (b *blocked) add(r *run) {
	b.runs++
	if b.groups == nil {
		b.groups = map[string]*Group{}
	}
	key := kindOf(r.blocker.Blocker) + "\x00" + kindOf(r.blocker.Needs)
	if b.groups[key] == nil && len(b.groups) >= mostGroups {
		key = other
	}
	g := b.groups[key]
	if g == nil {
		g = &Group{
			Blocker: actions.Sanitise(r.blocker.Blocker, maxExcerpt), Needs: actions.Sanitise(r.blocker.Needs, maxExcerpt),
			Agents: map[string]int{}, Attempted: map[string]int{}, Example: r.ref(),
		}
		if key == other {
			g.Blocker, g.Needs = other, ""
		}
		b.groups[key] = g
	}
	g.Runs++
	g.Agents[r.agent]++
	seen := map[string]bool{}
	for _, a := range r.blocker.Attempted {
		a = actions.Sanitise(a, 64)
		if _, known := g.Attempted[a]; !seen[a] && (known || len(g.Attempted) < mostAttempted) {
			g.Attempted[a]++
		}
		seen[a] = true
	}
}

// kindOf folds case, signs, white space and whatever holds a digit away, so
// that "order 4471 is archived" and "Order 9 is archived." are of one kind.
func kindOf(text string) string {
	var out []string
	for _, w := range strings.Fields(strings.ToLower(actions.Sanitise(text, 400))) {
		if strings.ContainsFunc(w, unicode.IsDigit) {
			w = "#"
		}
		w = strings.TrimFunc(w, func(r rune) bool { return r != '#' && !unicode.IsLetter(r) })
		if w != "" && (w != "#" || len(out) == 0 || out[len(out)-1] != "#") {
			out = append(out, w)
		}
	}
	return strings.Join(out, " ")
}

func (b *blocked) result() Blocked {
	out := Blocked{Runs: b.runs, Groups: []Group{}}
	for _, g := range b.groups {
		out.Groups = append(out.Groups, *g)
	}
	slices.SortFunc(out.Groups, func(x, y Group) int {
		return cmp.Or(y.Runs-x.Runs, cmp.Compare(x.Blocker, y.Blocker), cmp.Compare(x.Needs, y.Needs))
	})
	return out
}
