package actions

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopwatch/loopwatch/pkg/detectors"
	"github.com/loopwatch/loopwatch/pkg/state"
)

func TestProofNamesTheEvidence(t *testing.T) {
	many := make([]state.Ref, 12)
	for i := range many {
		many[i] = ref(uint64(i + 20))
	}
	tests := []struct {
		name     string
		evidence detectors.Evidence
		want     Proof
	}{
		{"events that can be had", detectors.Evidence{Tool: "grep", Count: 3, Since: 2, Events: []state.Ref{ref(3), ref(4), ref(6)}},
			Proof{Tool: "grep", Count: 3, SinceRound: 2, Events: []string{"e03", "e04", "e06"}, StreamSeqs: []uint64{3, 4, 6}}},
		{"one that is gone keeps its position", detectors.Evidence{Events: []state.Ref{ref(70), ref(6)}},
			Proof{Events: []string{"e06"}, StreamSeqs: []uint64{70, 6}}},
		{"none is the cause", detectors.Evidence{}, Proof{Events: []string{"e06"}, StreamSeqs: []uint64{6}}},
		{"a trace without positions", detectors.Evidence{Events: []state.Ref{{ID: state.DigestOf("x")}}},
			Proof{Events: []string{}, StreamSeqs: []uint64{}}},
		{"a tool's name is no place for tricks", detectors.Evidence{Tool: "grep\u202e\x1b[31m", Events: []state.Ref{ref(6)}},
			Proof{Tool: "grep", Events: []string{"e06"}, StreamSeqs: []uint64{6}}},
		{"too many", detectors.Evidence{Events: many},
			Proof{Events: []string{}, StreamSeqs: []uint64{20, 21, 22, 23, 24, 25, 26, 27}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := Render(policy(), repeated(Inject).with(func(d *Decision) { d.Evidence = tt.evidence }), story.quote)
			if diff := cmp.Diff(tt.want, got.Evidence); diff != "" {
				t.Errorf("proof (-want +got):\n%s", diff)
			}
		})
	}
}

func TestReplayIsNamedOnlyWhenItsCallIsKnown(t *testing.T) {
	known := repeated(Inject).with(func(d *Decision) { d.ReplayOf, d.CallID = ref(3), "c2" })
	gone := repeated(Inject).with(func(d *Decision) { d.ReplayOf, d.CallID = ref(70), "c2" })
	if diff := cmp.Diff(&Replayed{CallID: "c2", OfCallID: "c1"}, Render(policy(), known, story.quote).Replay); diff != "" {
		t.Errorf("replay (-want +got):\n%s", diff)
	}
	for name, d := range map[string]Decision{"gone": gone, "none": repeated(Inject)} {
		if r := Render(policy(), d, story.quote).Replay; r != nil {
			t.Errorf("%s: replay %+v", name, r)
		}
	}
}

func TestRenderWorksWithoutAnyText(t *testing.T) {
	for _, k := range []Kind{Inject, HaltRun, Escalate} {
		m := Render(policy(), repeated(k), nil)
		if err := m.check(); err != nil {
			t.Errorf("%s: %v", k, err)
		}
		if m.Summary == "" {
			t.Errorf("%s has no summary", k)
		}
	}
}

func TestRenderDoesNotShareTheDecision(t *testing.T) {
	d := repeated(HaltRun)
	m := Render(policy(), d, story.quote)
	d.Status = "changed"
	d.Evidence.Events[0] = ref(9)
	if *m.EndStatus != "stuck" || m.Evidence.StreamSeqs[0] != 3 {
		t.Errorf("the message changed with its decision: %+v", m)
	}
}

func TestIdentityTellsDecisionsApart(t *testing.T) {
	acted := Render(policy(), repeated(Inject), nil)
	halt := Render(policy(), repeated(HaltRun), nil)
	shadow := Render(policy(), repeated(Inject).with(func(d *Decision) { d.Reason = Shadow }), nil)
	cooled := Render(policy(), repeated("").with(func(d *Decision) { d.Reason = Cooldown }), nil)
	seen := map[string]bool{}
	for _, m := range []Message{acted, halt, shadow, cooled} {
		if id := m.Identity(); id == "" || seen[id] {
			t.Errorf("identity %q is empty or taken", id)
		}
		seen[m.Identity()] = true
	}
	if acted.Identity() != acted.ID {
		t.Errorf("identity %s of control %s", acted.Identity(), acted.ID)
	}
}
