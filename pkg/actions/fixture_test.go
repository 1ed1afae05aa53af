package actions

import (
	"github.com/loopwatch/loopwatch/pkg/detectors"
	"github.com/loopwatch/loopwatch/pkg/state"
)

// ref is the place of the event with that number, whose id is e<number>.
func ref(n uint64) state.Ref { return state.Ref{Seq: n, ID: state.DigestOf(id(n))} }

func id(n uint64) string { return "e" + string('0'+rune(n/10)) + string('0'+rune(n%10)) }

// book is the text of events by stream position.
type book map[uint64]Quote

func (b book) quote(r state.Ref) Quote {
	q, ok := b[r.Seq]
	if ok && q.ID == "" {
		q.ID = id(r.Seq)
	}
	return q
}

// story is the run that most tests tell of: a parcel that has no scans.
var story = book{
	3: {CallID: "c1", Round: 2, Tool: "track_parcel", Args: `{"tracking_number":"RB123456789"}`},
	4: {CallID: "c1", Round: 2, Tool: "track_parcel", Result: "no scans recorded"},
	6: {CallID: "c2", Round: 3, Tool: "track_parcel", Args: `{"tracking_number":"RB123456789"}`},
	7: {CallID: "c2", Round: 3, Tool: "track_parcel", Error: "carrier says: 404 unknown parcel"},
	8: {CallID: "c3", Round: 4, Tool: "get_order", Args: `{"order_id":"A-17"}`},
	9: {Round: 5, Asks: []string{"order_id", "colour"}, Known: []string{"email", "order_id"}},
}

// repeated is a decision about the run of the story.
func repeated(k Kind) Decision {
	d := Decision{
		Target: state.RunID{Tenant: "default", Task: "t1", Run: "r1"}, Agent: "support",
		Kind: k, Detector: "repeat", Reason: Acted, Incident: "inc_1", Rung: 1, N: 1,
		CauseID: id(6), Cause: ref(6), Seq: 6, Round: 3, TimeMS: 1_790_000_000_123,
		Evidence: detectors.Evidence{
			Tool: "track_parcel", Count: 2, Since: 2, Events: []state.Ref{ref(3), ref(6)},
			Calls: []state.Ref{ref(6)}, Answer: ref(4), What: "has been called twice with the same arguments",
		},
		Options: []string{"get_order", "contact_carrier", "report_blocked"},
		Facts: Facts{
			Turns: 14, Calls: 13, CostUSD: 0.42, Unpriced: 2, Tokens: 12_300, WastedTurns: 11, WastedUSD: 0.33,
			ElapsedMS: 125_400, Last: []LastCall{{ref(3), ref(4)}, {ref(6), ref(7)}, {ref(8), state.Ref{}}},
		},
	}
	if k == HaltRun {
		d.Status = "stuck"
	}
	d.ID = ControlID(d.Target, k, d.Detector, d.Incident, d.Rung)
	return d
}

// with returns the decision changed.
func (d Decision) with(change func(*Decision)) Decision {
	change(&d)
	return d
}
