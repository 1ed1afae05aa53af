package processor

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/state"
)

func TestWhatBlinds(t *testing.T) {
	sound := sight{settled: true, accounts: []Status{{Partition: 3, Applied: 9, Counts: state.Counts{Applied: 5, Duplicate: 1, Late: 1, Rejected: 1, Gap: 1}}}}
	tests := []struct {
		name string
		see  func(s *sight, age time.Duration) // changes a look made that long after the first
		ages []time.Duration                   // of the looks
		want string                            // part of what the last says; empty for nothing
	}{
		{"all is well", func(*sight, time.Duration) {}, []time.Duration{0, time.Hour}, ""},
		{"an event waits for less than the promise", func(s *sight, age time.Duration) {
			s.waiting = []waiter{{partition: 3, seq: 10, behind: 4, stored: storedAt}}
		}, []time.Duration{15 * time.Second}, ""},
		{"an event waits for longer", func(s *sight, age time.Duration) {
			s.waiting = []waiter{{partition: 3, seq: 10, behind: 4, stored: storedAt}}
		}, []time.Duration{16 * time.Second}, "partition 3: event 10 has waited, with 3 behind it, for 16s"},
		{"an event that cannot be read stays", func(s *sight, age time.Duration) {
			s.waiting = []waiter{{partition: 3, seq: 10, behind: 1}}
		}, []time.Duration{0, 16 * time.Second}, "event 10 has waited"},
		{"events that cannot be read go by", func(s *sight, age time.Duration) {
			s.waiting = []waiter{{partition: 3, seq: 10 + uint64(age), behind: 1}}
		}, []time.Duration{0, 10 * time.Second, 20 * time.Second}, ""},
		{"partitions are not open", func(s *sight, _ time.Duration) { s.settled = false }, []time.Duration{0, 16 * time.Second}, "not open"},
		{"they are on their way", func(s *sight, _ time.Duration) { s.settled = false }, []time.Duration{0, 15 * time.Second}, ""},
		{"they came and went", func(s *sight, age time.Duration) { s.settled = age == 10*time.Second }, []time.Duration{0, 10 * time.Second, 20 * time.Second, 30 * time.Second}, ""},
		{"the bus is away", func(s *sight, _ time.Duration) { s.bus = errors.New("no servers") }, []time.Duration{0, 16 * time.Second}, "no servers"},
		{"an event is in no bucket", func(s *sight, _ time.Duration) { s.accounts[0].Applied = 10 }, []time.Duration{0}, "9 events are accounted for of 10"},
		{"an event is in two", func(s *sight, _ time.Duration) { s.accounts[0].Applied = 8 }, []time.Duration{0}, "9 events are accounted for of 8"},
		{"a control came too late", func(s *sight, _ time.Duration) { s.late = storedAt }, []time.Duration{59 * time.Second}, "a control came more than 15s"},
		{"a control came too late, a while ago", func(s *sight, _ time.Duration) { s.late = storedAt }, []time.Duration{time.Minute}, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var m watchman
			var why []string
			for _, age := range test.ages {
				s := sound
				s.accounts = []Status{sound.accounts[0]}
				s.at = storedAt.Add(age)
				test.see(&s, age)
				why = m.judge(s)
			}
			got := strings.Join(why, "; ")
			if (test.want == "") != (got == "") || !strings.Contains(got, test.want) {
				t.Errorf("blind to %q, want %q", got, test.want)
			}
		})
	}
}

// A processor whose events are all accounted for sees; one that is stopped at
// its work is blind to what comes then, and says so.
func TestAProcessorSaysWhatItIsBehind(t *testing.T) {
	p := newSite(t)
	h := newHand()
	h.give(time.Now().Add(time.Hour))
	it, stop := p.run(p.config("a", h))
	last := p.call(1, "")
	p.until("the event is applied", func() bool { return applied(it) == last })
	if s := it.look(p.Context()); s.bus != nil || !s.settled || len(s.waiting) > 0 || (&watchman{}).judge(s) != nil {
		t.Errorf("all is applied, and it sees %+v", s)
	}
	held := make(chan struct{})
	go func() { _ = it.Ask(p.Context(), holdUntil(held)) }()
	last = p.call(2, "")
	p.until("it sees what waits", func() bool { return len(it.look(p.Context()).waiting) == 1 })
	s := it.look(p.Context())
	s.at = s.waiting[0].stored.Add(time.Minute)
	why := (&watchman{}).judge(s)
	it.see(s, why)
	if s.waiting[0].seq != last || s.waiting[0].behind != 1 || len(it.Blind()) != 1 {
		t.Errorf("sees %+v, blind to %q", s.waiting, it.Blind())
	}
	close(held)
	p.until("the event is applied", func() bool { return applied(it) == last })
	if err := stop(); err != nil {
		t.Error(err)
	}
}

// holdUntil is a question that takes until then.
func holdUntil(done <-chan struct{}) func(*state.Partition, *actions.Policy) error {
	return func(*state.Partition, *actions.Policy) error { <-done; return nil }
}
