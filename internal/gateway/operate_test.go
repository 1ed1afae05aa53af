package gateway_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/loopwatch/loopwatch/internal/fleet"
	"github.com/loopwatch/loopwatch/internal/gateway"
	"github.com/loopwatch/loopwatch/pkg/actions"
)

// into reads the body of a reply.
func into[T any](t *testing.T, r reply) (v T) {
	t.Helper()
	if err := json.Unmarshal(r.body, &v); err != nil {
		t.Fatalf("%v: %s", err, r.body)
	}
	return v
}

// An operator's halt over HTTP is a signed act that names who acted and through
// which key; it reaches a poll, and resuming lifts it.
func TestHaltAndResume(t *testing.T) {
	s := guarded(t, "default")
	support, lee := s.with(supportToken), s.with(operatorToken)
	_, h := support.ask(start("r1"))
	poll := support.waiting("r1", h.Get("Lw-After"))
	r := lee.do("POST", "/v1/halts", `{"scope":{"run":"r1"},"reason":"wrong customer","by":"Lee"}`)
	lee.want(r, 200, "")
	if got := into[struct {
		Partitions []int
		InForce    bool `json:"in_force"`
	}](t, r); len(got.Partitions) != 1 || !got.InForce {
		t.Errorf("acted: %s", r.body)
	}
	told := read(t, receive(t, "the halt", poll))
	by := "Lee (token lee) via gateway " + operator().KeyID()
	if len(told.Controls) != 1 || told.Controls[0].Kind != actions.HaltRun || !strings.Contains(told.Controls[0].Summary, by) {
		t.Fatalf("told %+v", told)
	}
	d := into[fleet.Detail](t, lee.do("GET", "/v1/runs/r1", ""))
	if d.Run.Run != "r1" || d.Halt == nil || d.Halt.By != by || d.Halt.Reason != "wrong customer" {
		t.Errorf("the run stands as %+v, %+v", d.Run, d.Halt)
	}
	if v, _ := support.ask(call("r1", 1, "c1", parcel)); v.Decision != actions.RefuseCall {
		t.Errorf("a halted run asks: %+v", v)
	}
	lee.want(lee.do("DELETE", "/v1/halts?run=r1&note=go+on&turns=5&usd=1.5", ""), 200, "")
	v, _ := support.ask(strings.Replace(start("r1"), `"r1-start"`, `"r1-again"`, 1))
	if v.Decision != actions.Allow || len(v.Controls) != 1 || !strings.Contains(v.Controls[0].Observation.Content, "go on") {
		t.Errorf("after the resume: %+v", v)
	}
}

// A halt by scope covers runs to come, is listed, and lapses or is lifted.
func TestHaltByScope(t *testing.T) {
	s := guarded(t, "default")
	support, lee := s.with(supportToken), s.with(operatorToken)
	support.ask(start("r1"))
	list := func() (out struct {
		Halts []fleet.ScopeHalt
		Runs  []fleet.Run
	}) {
		return into[struct {
			Halts []fleet.ScopeHalt
			Runs  []fleet.Run
		}](t, s.with(viewerToken).do("GET", "/v1/halts", ""))
	}
	lee.want(lee.do("POST", "/v1/halts", `{"scope":{"agent":"support"},"reason":"release","for":"2h"}`), 200, "")
	got := list()
	if len(got.Halts) != 1 || got.Halts[0].Scope.Agent != "support" || got.Halts[0].Reason != "release" || got.Halts[0].Until.IsZero() {
		t.Errorf("halts %+v", got.Halts)
	}
	if len(got.Runs) != 1 || got.Runs[0].Run != "r1" {
		t.Errorf("halted runs %+v", got.Runs)
	}
	if v, _ := support.ask(start("r2")); v.Decision != actions.RefuseCall {
		t.Errorf("a run to come: %+v", v)
	}
	lee.want(lee.do("DELETE", "/v1/halts?agent=support", ""), 200, "")
	if got = list(); len(got.Halts) != 0 || len(got.Runs) != 0 {
		t.Errorf("after the resume: %+v", got)
	}
	if v, _ := support.ask(start("r3")); v.Decision != actions.Allow {
		t.Errorf("a run after the resume: %+v", v)
	}
}

func TestActsAreRefused(t *testing.T) {
	s := guarded(t, "default")
	lee := s.with(operatorToken)
	lee.with(supportToken).ask(start("r1"))
	for _, c := range []struct {
		name, method, path, body string
		status                   int
		code                     string
	}{
		{"no scope", "POST", "", `{"reason":"x"}`, 400, "invalid"},
		{"a scope of null", "POST", "", `{"scope":null,"reason":"x"}`, 400, "invalid"},
		{"a scope with a slip", "POST", "", `{"scope":{"agnet":"support"},"reason":"x"}`, 400, "invalid"},
		{"no reason", "POST", "", `{"scope":{}}`, 400, "invalid"},
		{"no JSON", "POST", "", `scope`, 400, "invalid"},
		{"for ever and back", "POST", "", `{"scope":{},"reason":"x","for":"-2h"}`, 400, "invalid"},
		{"a name that is none", "POST", "", `{"scope":{"agent":"a.b"},"reason":"x"}`, 400, "bad_query"},
		{"nobody knows the run", "POST", "", `{"scope":{"run":"r9"},"reason":"x"}`, 404, "no_run"},
		{"as text", "POST", "", `{}`, 415, "not_json"},
		{"resume of nothing", "DELETE", "", "", 400, "bad_query"},
		{"resume of an unknown run", "DELETE", "?run=r9", "", 404, "no_run"},
		{"resume with a slip", "DELETE", "?agent=support&tsk=t1", "", 400, "bad_query"},
		{"resume with an escape that is none", "DELETE", "?agent=support&task=%zz", "", 400, "bad_query"},
		{"resume with a part that is none", "DELETE", "?agent=support&task=a;b", "", 400, "bad_query"},
		{"resume of two at once", "DELETE", "?run=r1&run=r2", "", 400, "bad_query"},
		{"turns that are none", "DELETE", "?run=r1&turns=many", "", 400, "bad_query"},
		{"dollars that are none", "DELETE", "?run=r1&usd=NaN", "", 400, "bad_query"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := lee.in(t)
			var header []string
			if c.status == 415 {
				header = []string{"Content-Type", "text/plain"}
			}
			s.want(s.do(c.method, "/v1/halts"+c.path, c.body, header...), c.status, c.code)
		})
	}
	if d := into[fleet.Detail](t, lee.do("GET", "/v1/runs/r1", "")); d.Halted {
		t.Error("the run is halted")
	}
}

// An operator who is bound to a tenant neither sees nor halts another's runs.
func TestAnOperatorIsBoundToItsTenant(t *testing.T) {
	s := guarded(t, "default")
	s.with(supportToken).ask(start("r1"))
	look := s.with(viewerToken)
	for _, path := range []string{"/v1/runs", "/v1/runs/r1", "/v1/halts"} {
		s.want(look.do("GET", path+"?tenant=acme", ""), 403, "not_yours")
	}
	if got := into[struct{ Runs []fleet.Run }](t, look.do("GET", "/v1/runs?tenant=default&phase=live&limit=1", "")); len(got.Runs) != 1 {
		t.Errorf("runs %+v", got.Runs)
	}
	for _, q := range []string{"tenant=default&agent=%zz", "agent=a&agent=b", "limit=0", "limit=10001", "limit=x", "phase=dead", "agent=a.b"} {
		s.want(look.do("GET", "/v1/runs?"+q, ""), 400, "bad_query")
	}
	s.want(look.do("GET", "/v1/runs/r9", ""), 404, "no_run")
	s.want(look.do("GET", "/v1/runs/a.b", ""), 400, "bad_query")
	s.want(look.do("GET", "/v1/halts?task=a.b", ""), 400, "bad_query")
}

// A name that is not unique is answered with those that have it.
func TestTwoRunsOfOneName(t *testing.T) {
	s := guarded(t, "default")
	lee, support := s.with(operatorToken), s.with(supportToken)
	for _, task := range []string{"t1", "t2"} {
		support.ask(strings.Replace(start("r1"), `"r1-start","kind":"run_start",`, `"`+task+`","kind":"run_start","task":"`+task+`",`, 1))
	}
	for _, r := range []reply{
		lee.do("GET", "/v1/runs/r1", ""), lee.do("POST", "/v1/halts", `{"scope":{"run":"r1"},"reason":"x"}`), lee.do("DELETE", "/v1/halts?run=r1", ""),
	} {
		s.want(r, 409, "ambiguous")
		if got := into[struct{ Candidates []gateway.Candidate }](t, r); len(got.Candidates) != 2 || got.Candidates[0].Agent != "support" || got.Candidates[0].Task == got.Candidates[1].Task {
			t.Errorf("candidates %+v", got.Candidates)
		}
	}
	s.want(lee.do("GET", "/v1/runs/r1?task=t2", ""), 200, "")
	s.want(lee.do("POST", "/v1/halts", `{"scope":{"run":"r1","task":"t2"},"reason":"x"}`), 200, "")
}

// Without an operator key a gateway acts for nobody; with one that no processor
// trusts its acts are refused by the processor.
func TestActsNeedAKeyThatIsTrusted(t *testing.T) {
	s := guarded(t, "default", func(c *gateway.Config) { c.Front.Operator = actions.Signer{} })
	lee := s.with(operatorToken)
	s.want(lee.do("POST", "/v1/halts", `{"scope":{},"reason":"x"}`), 403, "no_operator_key")
	s.want(lee.do("DELETE", "/v1/halts?all=true", ""), 403, "no_operator_key")
	s.closeGate()
	stranger, err := actions.GenerateSigner(strings.NewReader("a key that no processor was told of"))
	if err != nil {
		t.Fatal(err)
	}
	known := tokens(t)
	s.open(func(c *gateway.Config) { c.Front.Tokens, c.Front.Operator = known, stranger })
	lee = s.with(operatorToken)
	lee.with(supportToken).ask(start("r1"))
	lee.do("POST", "/v1/halts", `{"scope":{"run":"r1"},"reason":"x"}`)
	if d := into[fleet.Detail](t, lee.do("GET", "/v1/runs/r1", "")); d.Halted {
		t.Error("a stranger's act is in force")
	}
}

// Where no processor is there, an act is stored and takes effect in its turn.
func TestAnActWaitsForTheProcessor(t *testing.T) {
	s := guarded(t, "default", func(c *gateway.Config) { c.StoreWait = 2 * time.Second })
	lee := s.with(operatorToken)
	s.stop()
	s.want(lee.do("POST", "/v1/halts", `{"scope":{"agent":"support"},"reason":"x"}`), 202, "")
	s.want(lee.do("POST", "/v1/halts", `{"scope":{"run":"r1"},"reason":"x"}`), 503, "no_processor")
	s.process()
	if v, _ := s.with(supportToken).ask(start("r1")); v.Decision != actions.RefuseCall {
		t.Errorf("a run to come: %+v", v)
	}
	s.stop()
	s.want(lee.do("DELETE", "/v1/halts?all=true", ""), 202, "")
	s.want(lee.do("DELETE", "/v1/halts?run=r1", ""), 503, "no_processor")
}
