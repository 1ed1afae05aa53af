package escalate

import (
	"testing"

	"github.com/loopwatch/loopwatch/pkg/actions"
)

// More than are looked at in one round: each has its turn.
func TestEveryOpenEscalationIsLookedAt(t *testing.T) {
	const n = 2*judgeAtOnce + 50
	s := newSite(t)
	it, _ := s.run(s.config(Options{}))
	s.until("it follows", func() bool { return s.followed(0) })
	var all []actions.Control
	for i := range n {
		all = append(all, control(runName(i)))
	}
	s.log(0, all...)
	s.until("all are open", func() bool { return it.Open() == n })
	for i := range n {
		if i != n/2 {
			s.says(runName(i), Closed)
		}
	}
	s.until("one remains", func() bool { return it.Open() == 1 })
	if !s.kept(0, "ctl_"+runName(n/2)) {
		t.Error("the one that waits is not kept")
	}
}
