package demo

import (
	"errors"
	"fmt"

	"github.com/loopwatch/loopwatch/pkg/events"
)

func read(name string) events.Tool  { return events.Tool{Name: name, Effect: events.EffectRead} }
func write(name string) events.Tool { return events.Tool{Name: name, Effect: events.EffectWrite} }

// kinds are the sorts of agents in the fleet.
func kinds() []kind {
	return []kind{
		{
			name: "support", agent: "support", loops: true, script: support,
			doc:   "asks where a parcel is; the tracking tool answers without resolving",
			tools: []events.Tool{read("track_parcel"), write("message_seller"), write("escalate_to_human")},
		}, {
			name: "coder", agent: "coder", script: coder,
			doc:   "edits and tests in turns until the tests pass",
			tools: []events.Tool{read("read_file"), write("edit_file"), {Name: "run_tests"}},
		}, {
			name: "tester", agent: "coder", loops: true, script: tester,
			doc:   "runs the same failing tests without changing anything",
			tools: []events.Tool{read("read_file"), write("edit_file"), {Name: "run_tests"}},
		}, {
			name: "poller", agent: "deployer", script: poller,
			doc:   "polls a deployment that advances: right to poll",
			tools: []events.Tool{{Name: "deployment_status", Effect: events.EffectRead, Polls: true}},
		}, {
			name: "guesser", agent: "analyst", loops: true, script: guesser,
			doc:   "guesses one record id after the other, each is unknown",
			tools: []events.Tool{read("get_record"), read("search_records")},
		}, {
			name: "reasker", agent: "support", loops: true, script: reasker,
			doc:   "asks the user for what it already holds",
			tools: []events.Tool{read("get_order")},
		}, {
			name: "spender", agent: "researcher", loops: true, script: spender,
			doc:    "finds something new every turn until its budget is spent",
			tools:  []events.Tool{read("web_search")},
			limits: events.Limits{MaxCostUSD: 0.25},
		}, {
			name: "quitter", agent: "support", script: quitter,
			doc:   "finds the task impossible and says so with report_blocked",
			tools: []events.Tool{read("get_order"), write("refund")},
		},
	}
}

// support repeats a lookup whose answer never changes.
func support(a *agent) (events.Status, error) {
	parcel := fmt.Sprintf("JD%010d", a.rnd.IntN(1e9))
	for a.turn < turnLimit {
		if err := a.think("Let me check where the parcel is."); err != nil {
			return events.Failed, err
		}
		if a.listens() {
			err := a.do("message_seller", map[string]any{"text": "Where is parcel " + parcel + "?"}, "sent", nil)
			return events.Done, err
		}
		if err := a.do("track_parcel", map[string]any{"tracking_number": parcel}, "no scans recorded for this tracking number", nil); err != nil {
			return events.Failed, err
		}
	}
	return events.Failed, nil
}

// coder makes real progress with the same commands.
func coder(a *agent) (events.Status, error) {
	for i := range 4 + a.rnd.IntN(4) {
		if err := a.think(fmt.Sprintf("Change %d, then the tests again.", i+1)); err != nil {
			return events.Failed, err
		}
		edit := map[string]any{"path": "pkg/parse.go", "patch": fmt.Sprintf("@@ -%d +%d @@", 10*i+3, 10*i+5)}
		if err := a.do("edit_file", edit, "file updated", nil); err != nil {
			return events.Failed, err
		}
		if err := a.think("Run the tests."); err != nil {
			return events.Failed, err
		}
		if err := a.do("run_tests", map[string]any{"pkg": "./..."}, "FAIL: TestParse: unexpected end of input", nil); err != nil {
			return events.Failed, err
		}
	}
	if err := a.think("One more change, then the tests."); err != nil {
		return events.Failed, err
	}
	return events.Done, a.do("run_tests", map[string]any{"pkg": "./..."}, "ok: 214 tests", nil)
}

// tester reruns what cannot come out differently.
func tester(a *agent) (events.Status, error) {
	for a.turn < turnLimit {
		if err := a.think("Let me run the tests once more."); err != nil {
			return events.Failed, err
		}
		if a.listens() {
			if err := a.do("edit_file", map[string]any{"path": "pkg/scan.go", "patch": "@@ -41 +41 @@"}, "file updated", nil); err != nil {
				return events.Failed, err
			}
			return events.Done, a.do("run_tests", map[string]any{"pkg": "./..."}, "ok: 214 tests", nil)
		}
		if err := a.do("run_tests", map[string]any{"pkg": "./..."}, nil, errTests); err != nil {
			return events.Failed, err
		}
	}
	return events.Failed, nil
}

var (
	errTests   = errors.New("exit status 1: FAIL TestScan: want 7 tokens, got 6")
	errUnknown = errors.New("record not found")
)

// poller is right to ask again: the answer moves.
func poller(a *agent) (events.Status, error) {
	for done := 0; done < 100; done += 9 + a.rnd.IntN(9) {
		if err := a.think("Is the deployment through?"); err != nil {
			return events.Failed, err
		}
		if err := a.do("deployment_status", map[string]any{"id": 7}, map[string]any{"state": "rolling out", "percent": done}, nil); err != nil {
			return events.Failed, err
		}
	}
	return events.Done, nil
}

// guesser adjusts arguments that cannot be right.
func guesser(a *agent) (events.Status, error) {
	for i := 0; a.turn < turnLimit; i++ {
		if err := a.think("Perhaps the next id."); err != nil {
			return events.Failed, err
		}
		if a.listens() {
			return events.Done, a.do("search_records", map[string]any{"name": "Nakamura"}, "1 record: 88213", nil)
		}
		if err := a.do("get_record", map[string]any{"id": 88000 + i}, nil, errUnknown); err != nil {
			return events.Failed, err
		}
	}
	return events.Failed, nil
}

// reasker forgets what the user already said.
func reasker(a *agent) (events.Status, error) {
	known := func(asks ...string) func(*events.Turn) {
		return func(t *events.Turn) { t.Known, t.Asks = []string{"order_id", "email"}, asks }
	}
	for a.turn < turnLimit {
		if a.listens() {
			return events.Done, a.think("Thank you, I have everything I need.", known())
		}
		if err := a.think("Could you give me your order number, please?", known("order_id")); err != nil {
			return events.Failed, err
		}
		if err := a.run.Message("user", "", "I told you: it is 4471."); err != nil {
			return events.Failed, err
		}
	}
	return events.Failed, nil
}

// spender is productive and too expensive.
func spender(a *agent) (events.Status, error) {
	for i := 0; a.turn < turnLimit; i++ {
		if err := a.think(fmt.Sprintf("Source %d is worth a look.", i+1)); err != nil {
			return events.Failed, err
		}
		if err := a.do("web_search", map[string]any{"query": fmt.Sprintf("boiler failures %d", 1990+i)}, fmt.Sprintf("%d results, the first from %d", 3+i, 1990+i), nil); err != nil {
			return events.Failed, err
		}
	}
	return events.Failed, nil
}

// quitter gives up as one should.
func quitter(a *agent) (events.Status, error) {
	if err := a.think("Look the order up."); err != nil {
		return events.Failed, err
	}
	if err := a.do("get_order", map[string]any{"order_id": 4471}, map[string]any{"order_id": 4471, "state": "archived"}, nil); err != nil {
		return events.Failed, err
	}
	if err := a.think("An archived order cannot be refunded."); err != nil {
		return events.Failed, err
	}
	err := a.run.Blocked(a.ctx, events.Blocker{
		Attempted: []string{"get_order"}, Blocker: "the order is archived", Needs: "someone who may restore archived orders",
	})
	return events.Blocked, err
}
