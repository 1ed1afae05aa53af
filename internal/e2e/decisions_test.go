package e2e

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/loopwatch/loopwatch/internal/fleet"
	"github.com/loopwatch/loopwatch/internal/natsbus"
	"github.com/loopwatch/loopwatch/internal/replay"
	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
)

// decision is what must be equal wherever the same events are judged.
type decision struct {
	Run, Event, Detector, Kind, Reason, Incident string
	Rung                                         int
	Summary                                      string
}

func (d decision) String() string {
	return fmt.Sprintf("%s %s %s %s %s %s %d %q", d.Run, d.Event, d.Detector, d.Kind, d.Reason, d.Incident, d.Rung, d.Summary)
}

func (s *stage) fleet() *fleet.Client {
	return &fleet.Client{Conn: s.nc, Partitions: partitions, Stall: 20 * time.Millisecond}
}

// behind counts the stored events that no processor has applied yet.
func (s *stage) behind(ctx context.Context, c *fleet.Client) (n uint64) {
	all, err := c.Status(ctx)
	if err != nil || len(all) == 0 {
		return 1
	}
	for _, p := range all[len(all)-1].Partitions {
		at, err := s.bus.EventState(ctx, p.Partition)
		if err != nil {
			return 1
		}
		n += at.Last - p.Applied
	}
	return n
}

func (s *stage) loggedOn(p int) []actions.Control {
	s.t.Helper()
	log, err := s.bus.OpenLog(s.t.Context(), p, func(natsbus.Record) bool { return false })
	if err != nil {
		s.t.Fatal(err)
	}
	var out []actions.Control
	seen := map[actions.Position]bool{}
	err = log.ReadFrom(s.t.Context(), 0, func(r natsbus.Record) error {
		if strings.Contains(r.Subject, "._lw.") {
			return nil
		}
		var c actions.Control
		if err := json.Unmarshal(r.Data, &c); err != nil {
			return err
		}
		if seen[c.At] {
			s.t.Errorf("partition %d: position %+v stands twice in the log", p, c.At)
		}
		seen[c.At] = true
		out = append(out, c)
		return nil
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return out
}

// decisions reduces logged controls and records to what must be equal.
func decisions(in []actions.Control) []decision {
	var out []decision
	for _, c := range in {
		out = append(out, decision{c.Run, c.Event, c.Detector, string(c.Kind), string(c.Reason), c.Incident, c.Rung, c.Summary})
	}
	return out
}

// replayed returns what replay decides on trace lines; without ticks, what
// time alone brings about is left out on both sides by the caller.
func replayed(s *stage, policy *actions.Policy, lines [][]byte) []decision {
	s.t.Helper()
	var out []decision
	r, err := replay.New(replay.Options{Policy: policy, Fallback: preset(s.t, "default"), Spool: s.t.TempDir()}, func(l replay.Line) error {
		out = append(out, decision{l.Run, l.Event, l.Detector, string(l.Kind), string(l.Reason), l.Incident, l.Rung, l.Summary})
		return nil
	})
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	for _, l := range lines {
		e, err := events.Decode(l, events.DefaultLimit)
		if err != nil {
			s.t.Fatal(err)
		}
		if err := r.Feed(e, l); err != nil {
			s.t.Fatal(err)
		}
	}
	if err := r.Finish(); err != nil {
		s.t.Fatal(err)
	}
	return out
}

// dump returns the stored stream as trace lines, as `loopwatch dump` does.
func (s *stage) dump() [][]byte {
	s.t.Helper()
	var out [][]byte
	for p := range partitions {
		var b bytes.Buffer
		if _, _, err := fleet.Dump(s.t.Context(), s.bus, p, "", &b); err != nil {
			s.t.Fatal(err)
		}
		for l := range bytes.Lines(b.Bytes()) {
			out = append(out, bytes.TrimSpace(l))
		}
	}
	return out
}

// same fails the test where two sets of decisions differ, whatever the order
// of runs among each other.
func (s *stage) same(what string, want, got []decision) {
	s.t.Helper()
	byRun := func(in []decision) []decision {
		out := slices.Clone(in)
		slices.SortStableFunc(out, func(a, b decision) int { return strings.Compare(a.Run, b.Run) })
		return out
	}
	if d := cmp.Diff(byRun(want), byRun(got)); d != "" {
		s.t.Errorf("%s: decisions differ (-want +got):\n%s", what, d)
	}
}
