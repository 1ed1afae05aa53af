package e2e

import (
	"os"
	"strconv"
	"testing"
)

// The decisions of a live processor equal those of a replay: of the dump of
// its stream exactly, and of the original files.
func TestLiveEqualsReplay(t *testing.T) {
	nth := 12 // a fair part; LOOPWATCH_NTH=1 takes all recorded runs
	if n, err := strconv.Atoi(os.Getenv("LOOPWATCH_NTH")); err == nil && n > 0 {
		nth = n
	}
	for _, policy := range []string{"default", "sundry", "forty-times"} {
		t.Run(policy, func(t *testing.T) {
			lines := recorded(t, nth)
			s := newStage(t, policy)
			p := s.start(t.TempDir(), "")
			s.wait(p) // so that the policy is in force before the first event
			s.feed(lines)
			s.wait(p)
			p.stop(t)
			live := decisions(s.logged())
			if len(live) == 0 {
				t.Fatal("nothing was decided: the test proves nothing")
			}
			s.same("dump", live, replayed(s, nil, s.dump()))
			s.same("originals", live, replayed(s, preset(t, policy), lines))
			t.Logf("%d events, %d decisions equal", len(lines), len(live))
		})
	}
}
