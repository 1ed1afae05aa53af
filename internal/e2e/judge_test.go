package e2e

import (
	"errors"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/loopwatch/loopwatch/internal/oracle"
	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
)

// soak reports whether the long form of a test is asked for.
func soak() bool { return os.Getenv("LOOPWATCH_SOAK") == "1" }

// messages returns everything that the event streams hold, as it is stored.
func (s *stage) messages() (out []oracle.Message) {
	s.t.Helper()
	for p := range partitions {
		stream, err := s.js.Stream(s.t.Context(), events.EventStream(p))
		if err != nil {
			s.t.Fatal(err)
		}
		info, err := stream.Info(s.t.Context())
		if err != nil {
			s.t.Fatal(err)
		}
		for seq := info.State.FirstSeq; seq <= info.State.LastSeq; seq++ {
			m, err := stream.GetMsg(s.t.Context(), seq)
			if errors.Is(err, jetstream.ErrMsgNotFound) {
				continue
			}
			if err != nil {
				s.t.Fatal(err)
			}
			out = append(out, oracle.Message{Partition: p, Seq: seq, Subject: m.Subject, Stored: m.Time, Data: m.Data})
		}
	}
	return out
}

// judged holds what the processor p decided, how its runs stand and where the
// events ended against what the oracle says of the stored streams. It returns
// how many decisions were acted on.
func (s *stage) judged(preset string, p *processor) int {
	s.t.Helper()
	s.wait(p)
	s.until("every partition is owned and applied", func() bool {
		all, err := s.fleet().Status(s.t.Context())
		return err == nil && len(all) == 1 && len(all[0].Partitions) == partitions && s.behind(s.t.Context(), s.fleet()) == 0
	})
	var stored []oracle.Message
	var live map[int]oracle.Buckets
	s.until("no tick comes between two questions", func() bool {
		stored, live = s.messages(), s.buckets()
		last := map[int]uint64{}
		for _, m := range stored {
			last[m.Partition] = m.Seq
		}
		return maps.EqualFunc(last, live, func(seq uint64, b oracle.Buckets) bool { return seq == b.Total() })
	})
	v := oracle.Judge(preset, partitions, stored)
	acted := s.actedOn()
	if d := cmp.Diff(v.Decisions, acted); d != "" {
		s.t.Errorf("acted decisions differ (-oracle +logged):\n%s", d)
	}
	if d := cmp.Diff(v.Buckets, live); d != "" {
		s.t.Errorf("buckets differ (-oracle +live):\n%s", d)
	}
	if d := cmp.Diff(known(v.Standings), s.standings()); d != "" {
		s.t.Errorf("runs stand differently (-oracle +live):\n%s", d)
	}
	return len(acted)
}

// known leaves out of a standing what no query tells of a single run.
func known(in []oracle.Standing) []oracle.Standing {
	out := slices.Clone(in)
	for i := range out {
		out[i].Duplicates, out[i].Late, out[i].LastSeq = 0, 0, 0
	}
	return out
}

// standings are the runs as a query tells them.
func (s *stage) standings() (out []oracle.Standing) {
	s.t.Helper()
	runs, partial, err := s.fleet().Runs(s.t.Context(), events.Scope{}, "", 1_000_000)
	if err != nil || partial {
		s.t.Fatalf("list runs: %v, partial %v", err, partial)
	}
	for _, r := range runs {
		out = append(out, oracle.Standing{
			Tenant: r.Tenant, Task: r.Task, Run: r.Run, Phase: r.Phase, Halted: r.Halted, Turns: r.Turns, Calls: r.Calls, Gaps: r.Gaps,
		})
	}
	slices.SortFunc(out, func(a, b oracle.Standing) int {
		return strings.Compare(a.Tenant+" "+a.Task+" "+a.Run, b.Tenant+" "+b.Task+" "+b.Run)
	})
	return out
}

// buckets are where the events ended, by partition, as the status tells.
func (s *stage) buckets() map[int]oracle.Buckets {
	s.t.Helper()
	all, err := s.fleet().Status(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	out := map[int]oracle.Buckets{}
	for _, at := range all {
		for _, p := range at.Partitions {
			c := p.Counts
			b := oracle.Buckets{Applied: c.Applied, Duplicate: c.Duplicate, Late: c.Late, Rejected: c.Rejected, Gap: c.Gap}
			if b.Total() != p.Applied {
				s.t.Errorf("partition %d: the buckets add up to %d of %d", p.Partition, b.Total(), p.Applied)
			}
			if b.Total() > 0 {
				out[p.Partition] = b
			}
		}
	}
	return out
}

// actedOn are the acted decisions of the decision logs in the oracle's words.
func (s *stage) actedOn() (out []oracle.Decision) {
	s.t.Helper()
	byTask := map[string][]oracle.Acted{}
	for _, c := range s.logged() {
		if c.Reason != actions.Acted {
			continue
		}
		key := c.Tenant + " " + c.Task
		byTask[key] = append(byTask[key], oracle.Acted{Cause: c.Incident, Decision: oracle.Decision{
			Tenant: c.Tenant, Task: c.Task, Run: c.Run, Event: c.Event, Detector: c.Detector, Kind: string(c.Kind), Rung: c.Rung,
		}})
	}
	for _, key := range slices.Sorted(maps.Keys(byTask)) {
		out = append(out, oracle.Ordered(byTask[key])...)
	}
	return out
}

// Without any fault the oracle, the live processor and its streams agree.
func TestTheOracleAgreesLive(t *testing.T) {
	for _, preset := range []string{"sundry", "forty-times"} {
		t.Run(preset, func(t *testing.T) {
			s := newStage(t, preset)
			p := s.start(t.TempDir(), "")
			s.wait(p)
			s.feed(recorded(t, 48))
			if n := s.judged(preset, p); n == 0 {
				t.Fatal("nothing was decided: the test proves nothing")
			} else {
				t.Logf("%d acted decisions", n)
			}
			p.stop(t)
		})
	}
}

// standsAs holds how the runs stand and where the events ended against the
// oracle, whatever was decided before.
func (s *stage) standsAs(preset string, p *processor) {
	s.t.Helper()
	s.wait(p)
	v := oracle.Judge(preset, partitions, s.messages())
	if d := cmp.Diff(v.Buckets, s.buckets()); d != "" {
		s.t.Errorf("buckets differ (-oracle +live):\n%s", d)
	}
	if d := cmp.Diff(known(v.Standings), s.standings()); d != "" {
		s.t.Errorf("runs stand differently (-oracle +live):\n%s", d)
	}
}
