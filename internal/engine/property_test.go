package engine_test

import (
	"bytes"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/loopwatch/loopwatch/internal/engine"
	"github.com/loopwatch/loopwatch/internal/features"
	"github.com/loopwatch/loopwatch/internal/propgen"
	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/state"
)

var presets = []string{"default", "sundry", "forty-times"}

// parsed keeps the presets: a policy does not change once it is read.
var parsed = map[string]*actions.Policy{}

// fold is a partition that a sequence is told to, with what a test wants to
// know about it.
type fold struct {
	t      *rapid.T
	policy *actions.Policy
	key    features.Key
	store  state.Store
	part   *state.Partition
	eng    *engine.Engine
}

func newFold(t *rapid.T, preset string, key features.Key) *fold {
	if parsed[preset] == nil {
		p, err := actions.Preset(preset)
		if err != nil {
			t.Fatal(err)
		}
		parsed[preset] = p
	}
	f := &fold{t: t, policy: parsed[preset], key: key, store: state.NewMemory()}
	f.reopen()
	return f
}

func (f *fold) reopen() {
	var err error
	if f.part, err = state.OpenPartition(f.store, 0); err != nil {
		f.t.Fatal(err)
	}
	if f.eng, err = engine.New(f.part, f.policy, false, f.key); err != nil {
		f.t.Fatal(err)
	}
}

// commit writes what changed, as at the end of a batch.
func (f *fold) commit() {
	var b state.Batch
	if err := f.part.Flush(&b); err != nil {
		f.t.Fatal(err)
	}
	if err := f.store.Commit(&b); err != nil {
		f.t.Fatal(err)
	}
	f.part.Committed()
}

func (f *fold) step(e events.Event) engine.Result {
	res, err := f.eng.Step(&e)
	if err != nil {
		f.t.Fatalf("step %s: %v", e.ID, err)
	}
	return res
}

// tell steps through a sequence and returns what was decided, one text for each
// decision, made by say.
func (f *fold) tell(seq []events.Event, say func(events.Event, actions.Decision) string) []string {
	var out []string
	for _, e := range seq {
		for _, d := range f.step(e).Decisions {
			out = append(out, say(e, d))
		}
	}
	return out
}

// exactly says a decision with everything in it.
func exactly(_ events.Event, d actions.Decision) string { return fmt.Sprintf("%+v", d) }

// acts counts what was done, so that a property that holds for want of
// decisions is seen.
type acts map[actions.Kind]int

func (a acts) of(out []actions.Decision) {
	for _, d := range out {
		if d.Reason == actions.Acted {
			a[d.Kind]++
		}
	}
}

func (a acts) check(t *testing.T) {
	t.Helper()
	if a[actions.Inject] == 0 || a[actions.HaltRun] == 0 || a[actions.Escalate] == 0 {
		t.Errorf("the sequences led to %v: they must lead to everything", a)
	}
}

// TestAnySequence: whatever workers and operators send, the engine takes it;
// every decision has its reason and names events that there are; every record
// survives its codec.
func TestAnySequence(t *testing.T) {
	done := acts{}
	rapid.Check(t, func(rt *rapid.T) {
		seq := propgen.Hostile(rt)
		if rapid.Bool().Draw(rt, "story") {
			seq = propgen.Stories(rt)
		}
		f := newFold(rt, rapid.SampledFrom(presets).Draw(rt, "preset"), features.Key{7})
		said := history{at: map[uint64]state.Digest{}, ids: map[string]bool{}, controls: map[string]bool{}}
		for _, e := range seq {
			said.note(&e)
			res := f.step(e)
			done.of(res.Decisions)
			for i := range res.Decisions {
				said.check(rt, &e, &res.Decisions[i])
			}
			checkCodec(rt, f.part)
		}
		if n := f.part.Meta.Counts.Total(); n != uint64(len(seq)) {
			rt.Fatalf("%d events ended in %+v", len(seq), f.part.Meta.Counts)
		}
	})
	done.check(t)
}

// history is what a decision may rest on.
type history struct {
	at       map[uint64]state.Digest
	ids      map[string]bool
	controls map[string]bool
}

func (h *history) note(e *events.Event) {
	h.at[e.StreamSeq] = state.DigestOf(e.ID)
	h.ids[e.ID] = true
	if e.Operator != nil && e.Operator.Action == "resume" {
		clear(h.controls) // what was lifted may be given again
	}
}

var reasons = map[actions.Reason]bool{
	actions.Acted: true, actions.Shadow: true, actions.Cooldown: true, actions.Exempt: true, actions.Spent: true,
	actions.Weak: true, actions.Superseded: true, actions.Finished: true, actions.Stopped: true,
}

// check holds one decision against the events so far.
func (h *history) check(t *rapid.T, e *events.Event, d *actions.Decision) {
	refs := append([]state.Ref{d.Cause, d.Evidence.Answer, d.ReplayOf}, d.Evidence.Events...)
	refs = append(refs, d.Evidence.Calls...)
	for _, l := range d.Facts.Last {
		refs = append(refs, l.Call, l.Answer)
	}
	for _, ref := range refs {
		if at, ok := h.at[ref.Seq]; !ref.IsZero() && (!ok || at != ref.ID) {
			t.Fatalf("on %s: no event is at %+v, named by %+v", e.ID, ref, d)
		}
	}
	acted := d.Reason == actions.Acted
	switch {
	case !reasons[d.Reason]:
		t.Fatalf("on %s: no such reason: %+v", e.ID, d)
	case !h.ids[d.CauseID] || d.Cause.IsZero():
		t.Fatalf("on %s: no event caused it: %+v", e.ID, d)
	case d.Detector == "" || d.Incident == "" || d.Target.Run == "":
		t.Fatalf("on %s: incomplete: %+v", e.ID, d)
	case (d.Kind != "") != (acted || d.Reason == actions.Shadow), (d.ID != "") != acted, (d.N > 0) != acted:
		t.Fatalf("on %s: a kind without an act, or an act without its id and number: %+v", e.ID, d)
	case h.controls[d.ID] && d.N > 1: // a run that was forgotten is told of its halt again
		t.Fatalf("on %s: control %s was given before, a worker acts once on it: %+v", e.ID, d.ID, d)
	}
	if acted {
		h.controls[d.ID] = true
	}
}

// checkCodec encodes every run and the meta record, decodes them and encodes
// them again.
func checkCodec(t *rapid.T, p *state.Partition) {
	tasks := map[state.TaskID]bool{}
	err := p.EachRun(func(r *state.Run) bool {
		tasks[r.ID.TaskID()] = true
		b := state.AppendRun(nil, r)
		again, err := state.DecodeRun(b)
		if err != nil {
			t.Fatalf("run %s: %v", r.ID.Run, err)
		}
		if !bytes.Equal(b, state.AppendRun(nil, again)) {
			t.Fatalf("run %s is another one after its codec", r.ID.Run)
		}
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	for id := range tasks {
		b := state.AppendTask(nil, p.Task(id))
		again, err := state.DecodeTask(b)
		if err != nil || !bytes.Equal(b, state.AppendTask(nil, again)) {
			t.Fatalf("task %s is another one after its codec: %v", id.Task, err)
		}
	}
	b := state.AppendMeta(nil, &p.Meta)
	again, err := state.DecodeMeta(b)
	if err != nil || !bytes.Equal(b, state.AppendMeta(nil, &again)) {
		t.Fatalf("meta is another one after its codec: %v", err)
	}
}
