package actions

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/loopwatch/loopwatch/pkg/events"
)

// operated is an operator's event as it is stored, with the act signed by s.
func operated(t testing.TB, s Signer) string {
	t.Helper()
	signed, err := SignOperator(s, events.Operator{
		Action: "resume", Scope: events.Scope{Run: "r1"}, Add: events.Limits{MaxTurns: 10, MaxCostUSD: 0.5},
		Note: "parcel is lost: refund «it»", By: "anna",
	})
	if err != nil {
		t.Fatal(err)
	}
	body, err := json.Marshal(signed)
	if err != nil {
		t.Fatal(err)
	}
	return `{"v":1,"id":"op1","kind":"operator","time":"2026-01-01T00:00:00Z","operator":` + string(body) + `}`
}

func TestVerifyOperator(t *testing.T) {
	ours := key(t, 1)
	ring := NewKeyRing(ours.Public())
	good := operated(t, ours)
	tests := []struct {
		name, from, to string
		want           bool
	}{
		{"as it was signed", "", "", true},
		{"another order and white space", `"operator":{"action":"resume",`, `"operator": {` + "\n" + `"action" : "resume" ,`, true},
		{"another event around it", `"id":"op1"`, `"id":"op2"`, true},
		{"another action", `"action":"resume"`, `"action":"halt"`, false},
		{"a wider scope", `"scope":{"run":"r1"}`, `"scope":{}`, false},
		{"a bigger budget", `"max_turns":10`, `"max_turns":1000`, false},
		{"another note", `lost`, `found`, false},
		{"a member that was not signed", `"operator":{`, `"operator":{"for":"2h",`, false},
		{"a member nobody knows", `"operator":{`, `"operator":{"later":1,`, false},
		{"without its signature", `"sig":"`, `"gis":"`, false},
		{"the action twice", `"action":"resume"`, `"action":"resume","action":"halt"`, false},
		{"no body", `"operator":{`, `"other":{`, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			event := strings.Replace(good, tt.from, tt.to, 1)
			if tt.from != "" && event == good {
				t.Fatalf("no %q in %s", tt.from, good)
			}
			if got := VerifyOperator(ring, []byte(event)); got != tt.want {
				t.Errorf("VerifyOperator = %v, want %v", got, tt.want)
			}
		})
	}
}

func TestVerifyOperatorTrustsOnlyItsRing(t *testing.T) {
	good := []byte(operated(t, key(t, 1)))
	if VerifyOperator(NewKeyRing(key(t, 2).Public()), good) || VerifyOperator(KeyRing{}, good) {
		t.Error("an act of a stranger is obeyed")
	}
	var unsigned Signer
	if VerifyOperator(NewKeyRing(key(t, 1).Public()), []byte(operated(t, unsigned))) {
		t.Error("an act that nobody signed is obeyed")
	}
}

func TestActsStayReadable(t *testing.T) {
	e, err := events.Decode([]byte(operated(t, key(t, 1))), 0)
	if err != nil || e.Operator.Add.MaxTurns != 10 || e.Operator.Sig == "" {
		t.Errorf("event %+v, %v", e.Operator, err)
	}
}

func FuzzVerifyOperator(f *testing.F) {
	ring := NewKeyRing(key(f, 1).Public())
	good := operated(f, key(f, 1))
	f.Add([]byte(good))
	f.Add([]byte(`{"operator":{"sig":"x"}}`))
	f.Fuzz(func(t *testing.T, event []byte) {
		if VerifyOperator(ring, event) && !strings.Contains(string(event), `sig`) {
			t.Errorf("an act without a signature is obeyed: %s", event)
		}
	})
}
