package e2e

import (
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"
)

// What a fleet decides while its members die, freeze, wake, leave and join is
// what one process decides on the same stream: no record stands twice and none
// is missing.
func TestAFleetDecidesAsOne(t *testing.T) {
	rounds, ttl := 1, time.Second
	if n, err := strconv.Atoi(os.Getenv("LOOPWATCH_FLEET")); err == nil && n > 0 { // a longer voyage
		rounds = n
	}
	if d, err := time.ParseDuration(os.Getenv("LOOPWATCH_LEASE")); err == nil { // 0 is the default
		ttl = d
	}
	for _, place := range []struct {
		name    string
		servers int
	}{{"one server", 1}, {"three servers", 3}} {
		t.Run(place.name, func(t *testing.T) {
			v := newVoyage(t, newCrew(t, place.servers, ttl), recorded(t, 24), rounds)
			for range rounds {
				v.round()
			}
			v.land()
		})
	}
}

// voyage puts a crew of three through everything while events come in.
type voyage struct {
	*crew
	t     *testing.T
	rnd   *rand.Rand
	lines [][]byte
	step  int // lines fed with each event of the voyage
	took  map[string][]time.Duration
}

var names = []string{"a", "b", "c"}

func newVoyage(t *testing.T, c *crew, lines [][]byte, rounds int) *voyage {
	v := &voyage{crew: c, t: t, rnd: seed(t), lines: lines, step: len(lines) / (8 * rounds), took: map[string][]time.Duration{}}
	for _, n := range names {
		v.join(n, "")
	}
	if got := v.shares(3); len(got) != 3 {
		t.Fatalf("shares: %v", got)
	}
	return v
}

// feedSome publishes the next lines in two halves, and calls between in the
// midst of them.
func (v *voyage) feedSome(between func()) {
	n := min(v.step, len(v.lines))
	v.feed(v.lines[:n/2])
	between()
	v.feed(v.lines[n/2 : n])
	v.lines = v.lines[n:]
}

// anyone returns a member by chance.
func (v *voyage) anyone() string { return names[v.rnd.IntN(len(names))] }

// round lets one member be killed and come back, one freeze past its lease and
// wake, one stop and come back.
func (v *voyage) round() {
	v.t.Helper()
	who := v.anyone()
	v.leg("one is killed", 2, func() { v.leave(who).kill() })
	v.leg("it comes back", 3, func() { v.join(who, "") })
	who = v.anyone()
	v.leg("one freezes", 2, func() { v.signal(v.members[who], syscall.SIGSTOP) })
	v.leg("it wakes", 3, func() { v.signal(v.members[who], syscall.SIGCONT) })
	who = v.anyone()
	v.leg("one stops", 2, func() { v.leave(who).stop(v.t) })
	v.leg("one joins", 3, func() { v.join(who, "") })
}

// leg does something in the midst of a feed and waits until every partition has
// an owner among n members, which is the time it took, and until all of it is
// applied.
func (v *voyage) leg(what string, n int, do func()) {
	v.t.Helper()
	var began time.Time
	v.feedSome(func() { began = time.Now(); do() })
	v.owned(n)
	v.note(what, time.Since(began))
	v.shares(n)
}

func (v *voyage) note(what string, d time.Duration) { v.took[what] = append(v.took[what], d) }

// land feeds the rest, holds the decisions against a replay, and has a member
// without a disk take everything over, which must decide nothing anew.
func (v *voyage) land() {
	v.t.Helper()
	v.feed(v.lines)
	v.shares(3)
	for _, n := range names {
		v.leave(n).stop(v.t)
	}
	logged := v.logged()
	live := decisions(logged)
	if len(live) == 0 {
		v.t.Fatal("nothing was decided: the test proves nothing")
	}
	dump := v.dump()
	v.same("dump", live, replayed(v.stage, nil, dump))
	began := time.Now()
	last := v.join("without a disk", "")
	v.shares(1)
	v.note("the last one has no disk and stands at the end of the stream", time.Since(began))
	last.stop(v.t)
	if again := v.logged(); len(again) != len(logged) {
		v.t.Errorf("applied again from the first event: %d records, %d before", len(again), len(logged))
	}
	v.t.Logf("%d events, %d decisions equal", len(dump), len(live))
	for what, all := range v.took {
		slices.Sort(all)
		v.t.Logf("%s: median %v, most %v, n %d", what, all[len(all)/2].Round(time.Millisecond), all[len(all)-1].Round(time.Millisecond), len(all))
	}
}
