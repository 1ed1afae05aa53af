package engine_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/google/go-cmp/cmp"

	"github.com/loopwatch/loopwatch/internal/features"
	"github.com/loopwatch/loopwatch/internal/propgen"
	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/state"
)

// verdict says a decision without the names and hashes in it.
func verdict(e events.Event, d actions.Decision) string {
	var at []uint64
	for _, r := range append(append([]state.Ref{d.Evidence.Answer, d.ReplayOf}, d.Evidence.Events...), d.Evidence.Calls...) {
		at = append(at, r.Seq)
	}
	return fmt.Sprintf("%d %s %s %s rung %d n %d round %d %s %d since %d %q %v options %d facts %+v",
		e.StreamSeq, d.Detector, d.Kind, d.Reason, d.Rung, d.N, d.Round, d.Status, d.Evidence.Count, d.Evidence.Since, d.Evidence.What, at,
		len(d.Options), d.Facts.Last)
}

// unnamed is a verdict without digests of ids.
func unnamed(e events.Event, d actions.Decision) string {
	d.Facts.Last = nil
	return verdict(e, d)
}

// underPresets checks a property under each preset in turn, and that hints and
// halts were decided at all.
func underPresets(t *testing.T, check func(rt *rapid.T, preset string) (said []string)) {
	t.Helper()
	seen := map[string]bool{}
	rapid.Check(t, func(rt *rapid.T) {
		for _, s := range check(rt, rapid.SampledFrom(presets).Draw(rt, "preset")) {
			for _, k := range []string{string(actions.Inject), string(actions.HaltRun)} {
				seen[k] = seen[k] || strings.Contains(s, k)
			}
		}
	})
	if !seen[string(actions.Inject)] || !seen[string(actions.HaltRun)] {
		t.Errorf("the sequences led to %v: they must lead to hints and halts", seen)
	}
}

func differ(t *rapid.T, what string, want, got []string) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Fatalf("%s (-before +after):\n%s", what, d)
	}
}

// TestRestartsAndBatches: where batches end, what is held in memory and when
// the process begins anew changes no decision and no byte of the state.
func TestRestartsAndBatches(t *testing.T) {
	underPresets(t, func(rt *rapid.T, preset string) []string {
		seq := propgen.Stories(rt)
		if rapid.IntRange(1, 4).Draw(rt, "hostile") == 4 {
			seq = propgen.Hostile(rt)
		}
		plain, other := newFold(rt, preset, features.Key{7}), newFold(rt, preset, features.Key{7})
		want := plain.tell(seq, exactly)
		var got []string
		for i := range seq {
			got = append(got, other.tell(seq[i:i+1], exactly)...)
			switch rapid.SampledFrom([]string{"", "", "", "commit", "evict", "restart"}).Draw(rt, "then") {
			case "commit":
				other.commit()
			case "evict":
				other.commit()
				other.part.Evict()
			case "restart":
				other.commit()
				other.reopen()
			}
		}
		differ(rt, "with restarts", want, got)
		plain.commit()
		other.commit()
		if a, b := records(rt, plain.store), records(rt, other.store); !bytes.Equal(a, b) {
			rt.Fatal("the stores differ after the same events")
		}
		return want
	})
}

// records is all that a store holds.
func records(t *rapid.T, s state.Store) (out []byte) {
	err := s.Scan(nil, nil, func(k, v []byte) bool {
		out = append(append(append(out, k...), 0xff), v...)
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestTasksDoNotMeet: what is decided about a task does not depend on the tasks
// told between its events, nor on sharing a partition with them.
func TestTasksDoNotMeet(t *testing.T) {
	underPresets(t, func(rt *rapid.T, preset string) []string {
		seq := propgen.Stories(rt)
		place := map[string]uint64{}
		byName := func(e events.Event, d actions.Decision) string {
			e.StreamSeq = place[e.ID]
			d.Evidence.Events, d.Evidence.Calls, d.Evidence.Answer, d.ReplayOf = nil, nil, state.Ref{}, state.Ref{}
			return d.Target.Task + " " + d.ID + " " + d.Incident + " " + unnamed(e, d)
		}
		of := func(task string, said []string) (out []string) {
			for _, s := range said {
				if strings.HasPrefix(s, task) {
					out = append(out, s)
				}
			}
			return out
		}
		for _, e := range seq {
			place[e.ID] = e.StreamSeq
		}
		said := newFold(rt, preset, features.Key{7}).tell(seq, byName)
		mixed := newFold(rt, preset, features.Key{7}).tell(propgen.Shuffle(rt, seq), byName)
		for _, task := range []string{"t1", "t2"} {
			var own []events.Event
			for _, e := range seq {
				if e.Task == task {
					own = append(own, e)
				}
			}
			differ(rt, "told between each other", of(task, said), of(task, mixed))
			differ(rt, "alone in its partition", of(task, said), newFold(rt, preset, features.Key{7}).tell(own, byName))
		}
		return said
	})
}

// TestNamesDecideNothing: other ids, and other names of tools whose effect is
// declared, bring the same verdicts; so does another hash key.
func TestNamesDecideNothing(t *testing.T) {
	other := map[string]string{"send_parcel": "zorp", "get_order": "frob", "zorp": "list_quux", "frob": "blick"}
	ids := func(s string) string { return "q" + strings.ToUpper(s) + "-9" }
	same := func(s string) string { return s }
	underPresets(t, func(rt *rapid.T, preset string) []string {
		seq := propgen.DeclaredStories(rt)
		want := newFold(rt, preset, features.Key{7}).tell(seq, unnamed)
		got := newFold(rt, preset, features.Key{7}).tell(propgen.Rename(seq, ids, same), unnamed)
		differ(rt, "other ids", want, got)
		got = newFold(rt, preset, features.Key{7}).tell(propgen.Rename(seq, same, func(s string) string { return other[s] }), unnamed)
		differ(rt, "other tools", want, got)
		whole := propgen.Stories(rt)
		differ(rt, "another key", newFold(rt, preset, features.Key{7}).tell(whole, verdict), newFold(rt, preset, features.Key{200}).tell(whole, verdict))
		return want
	})
}

// TestWhatNeverCounts: our own injections, events delivered again and replayed
// results change no decision.
func TestWhatNeverCounts(t *testing.T) {
	underPresets(t, func(rt *rapid.T, preset string) []string {
		seq := propgen.Stories(rt)
		byName := func(e events.Event, d actions.Decision) string {
			e.StreamSeq = 0
			d.Evidence.Events, d.Evidence.Calls, d.Evidence.Answer, d.ReplayOf = nil, nil, state.Ref{}, state.Ref{}
			return e.ID + " " + d.ID + " " + d.Incident + " " + unnamed(e, d)
		}
		want := newFold(rt, preset, features.Key{7}).tell(seq, byName)
		differ(rt, "with what never counts", want, newFold(rt, preset, features.Key{7}).tell(propgen.Sprinkle(rt, seq), byName))
		return want
	})
}

// TestWorkIsNotHalted: a run whose every result is new and changes the world is
// never halted by the default policy, whatever it says and however equal its
// calls are; it is not told anything either, unless it says the same things.
func TestWorkIsNotHalted(t *testing.T) {
	for _, wordy := range []bool{false, true} {
		t.Run(fmt.Sprintf("wordy %v", wordy), rapid.MakeCheck(func(rt *rapid.T) {
			f := newFold(rt, "default", features.Key{7})
			for _, e := range propgen.Productive(rt, wordy) {
				for _, d := range f.step(e).Decisions {
					if d.Reason == actions.Acted && (!wordy || d.Kind != actions.Inject) {
						rt.Fatalf("on %s: %s %s: %s", e.ID, d.Detector, d.Kind, d.Evidence.What)
					}
				}
			}
		}))
	}
}
