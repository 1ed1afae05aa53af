package trace

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loopwatch/loopwatch/pkg/events"
)

// one parses a section without its title.
func one(t *testing.T, body string) Section {
	t.Helper()
	s, err := Parse("x.trace", []byte("-- a story --\n"+body))
	if err != nil {
		t.Fatal(err)
	}
	if len(s) != 1 {
		t.Fatalf("%d sections, want 1", len(s))
	}
	return s[0]
}

func TestSections(t *testing.T) {
	src := `# about the file
-- first --
set repeat.occurrence 2
set policy sundry
call grep {"q":1}     # want
result none           # want repeat halt

-- second, silent --
# nothing happens
user hello
`
	got, err := Parse("x.trace", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 2 {
		t.Fatalf("%d sections, want 2", len(got))
	}
	a, b := got[0], got[1]
	if a.Title != "first" || a.Line != 2 || b.Title != "second, silent" || b.Line != 8 {
		t.Errorf("titles %q:%d and %q:%d", a.Title, a.Line, b.Title, b.Line)
	}
	settings := []Setting{{3, "repeat.occurrence", "2"}, {4, "policy", "sundry"}}
	if d := cmp.Diff(settings, a.Settings); d != "" {
		t.Error("settings (-want +got):\n", d)
	}
	wants := []Want{{Line: 5, At: 0}, {Line: 6, At: 1, Words: []string{"repeat", "halt"}}}
	if d := cmp.Diff(wants, a.Wants, cmp.Transformer("nilless", func(s []string) string { return strings.Join(s, ",") })); d != "" {
		t.Error("wants (-want +got):\n", d)
	}
	if a.Silent() || !b.Silent() {
		t.Error("a section with wants is not silent, one without is")
	}
	if a.Wanted(1) == nil || b.Wanted(0) != nil {
		t.Error("Wanted finds the want of an event and no other")
	}
	if len(b.Settings) != 0 || len(b.Events) != 1 || b.Events[0].Seq != 1 {
		t.Error("a section begins anew")
	}
}

func TestEventsAreDeterministicAndValid(t *testing.T) {
	s := one(t, "start {}\nturn hm\ncall a {}\nresult ok\nwait 30s\nend done\n")
	for i, e := range s.Events {
		if e.Seq != uint64(i+1) || e.StreamSeq != uint64(i+1) {
			t.Errorf("event %d has seq %d at %d", i, e.Seq, e.StreamSeq)
		}
		if err := e.Validate(); err != nil {
			t.Errorf("event %d: %v", i, err)
		}
		if i > 0 && e.ID == s.Events[i-1].ID {
			t.Errorf("events %d and %d share id %s", i-1, i, e.ID)
		}
		if !e.Time.Equal(e.Stored) {
			t.Errorf("event %d is stored at another time than it happened", i)
		}
	}
	if gap := s.Events[4].Time.Sub(s.Events[3].Time); gap != 31*time.Second {
		t.Errorf("a wait of 30s and a step take %s", gap)
	}
	if again := one(t, "start {}\nturn hm\ncall a {}\nresult ok\nwait 30s\nend done\n"); !cmp.Equal(s, again) {
		t.Error("the same text gave other events:\n", cmp.Diff(s, again))
	}
}

func TestRounds(t *testing.T) {
	tests := []struct {
		name, body string
		rounds     []int
	}{
		{"every call opens a round", "call a {}\ncall b {}\n", []int{1, 2}},
		{"a turn takes its first call along", "turn x\ncall a {}\ncall b {}\n", []int{1, 1, 2}},
		{"a turn of text is a round", "turn x\nturn y\ncall a {}\n", []int{1, 2, 2}},
		{"a bar joins", "call a {}\n| call b {}\n|call c {}\ncall d {}\n", []int{1, 1, 1, 2}},
		{"a result keeps the round of its call", "call a {}\n| call b {}\ncall c {}\nresult 1\nresult 2\nresult 3\n", []int{1, 1, 2, 1, 1, 2}},
		{"a call after the turn's result is another round", "turn x\ncall a {}\nresult 1\ncall b {}\n", []int{1, 1, 1, 2}},
		{"a turn whose result came takes no call", "call a {}\nturn x\nresult 1\ncall b {}\n", []int{1, 2, 1, 3}},
		{"a round line holds what follows", "round 7\ncall a {}\ncall b {}\nround 9\nturn x\ncall c {}\n", []int{7, 7, 9, 9}},
		{"runs count their own rounds", "call a {}\nrun r2\ncall a {}\nrun r1\ncall b {}\n", []int{1, 1, 2}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []int
			for _, e := range one(t, tt.body).Events {
				got = append(got, e.Round)
			}
			if d := cmp.Diff(tt.rounds, got); d != "" {
				t.Error("rounds (-want +got):\n", d)
			}
		})
	}
}

func TestRuns(t *testing.T) {
	s := one(t, "call a {}\nrun child parent=r1\ncall a {}\nresult x\nrun r1\nresult y\nrun child\nend done\n")
	want := []string{"r1//1", "child/r1/1", "child/r1/2", "r1//2", "child/r1/3"}
	var got []string
	for _, e := range s.Events {
		got = append(got, e.Run+"/"+e.Parent+"/"+string(rune('0'+e.Seq)))
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error("run/parent/seq (-want +got):\n", d)
	}
	if id := s.Events[3].Result.CallID; id != "c1" {
		t.Errorf("a run's result answers %s, another run's call", id)
	}
}

func TestAgainAndOrigin(t *testing.T) {
	s := one(t, "call a {}\nagain\norigin loopwatch\nuser stop it\nuser what?\n")
	a, b := s.Events[0], s.Events[1]
	if a.ID != b.ID || a.Seq != b.Seq || a.StreamSeq == b.StreamSeq {
		t.Errorf("a delivery again is the same event at another place: %+v and %+v", a, b)
	}
	if s.Events[2].Origin != events.FromLoopwatch || s.Events[3].Origin != events.FromAgent {
		t.Errorf("origin holds for one event: %s, %s", s.Events[2].Origin, s.Events[3].Origin)
	}
	if s.Events[3].Seq != 3 {
		t.Errorf("a delivery again took a seq: the last event has %d", s.Events[3].Seq)
	}
}
