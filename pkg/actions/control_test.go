package actions

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// policy is a policy with a name and nothing else that shows in a control.
func policy() *Policy {
	return &Policy{Name: "default", Digest: strings.Repeat("9f3c", 16), Control: 10 * time.Minute}
}

// pretty indents JSON without reordering its members.
func pretty(t *testing.T, data []byte) string {
	t.Helper()
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(json.RawMessage(data)); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(b.String())
}

func messages() []struct {
	title string
	d     Decision
} {
	return []struct {
		title string
		d     Decision
	}{
		{"an observation with a replayed result", repeated(Inject).with(func(d *Decision) { d.ReplayOf, d.CallID = ref(3), "c2" })},
		{"a halt", repeated(HaltRun).with(func(d *Decision) { d.Rung, d.N = 2, 2 })},
		{"an escalation", repeated(Escalate).with(func(d *Decision) { d.Rung, d.N, d.Status = 2, 3, "stuck" })},
		{"in shadow", repeated(Inject).with(func(d *Decision) { d.Reason = Shadow })},
		{"withheld", repeated("").with(func(d *Decision) { d.Reason = Cooldown })},
	}
}

func TestMessagesOnTheWire(t *testing.T) {
	var got []section
	for _, tt := range messages() {
		m := Render(policy(), tt.d, story.quote)
		m.At = Position{Stream: 1_780_000_000_000, Seq: 6, I: 1}
		body, err := m.Encode()
		if err != nil {
			t.Fatalf("%s: %v", tt.title, err)
		}
		got = append(got, section{tt.title, pretty(t, body)})
	}
	golden(t, "messages.golden", got)
}

func TestMessagesAreTheSameBytes(t *testing.T) {
	for _, tt := range messages() {
		a, b := Render(policy(), tt.d, story.quote), Render(policy(), tt.d, story.quote)
		x, errX := a.Encode()
		y, errY := b.Encode()
		if errX != nil || errY != nil || string(x) != string(y) {
			t.Errorf("%s: %s\n%s (%v, %v)", tt.title, x, y, errX, errY)
		}
		if a.Identity() != b.Identity() || a.Identity() == "" {
			t.Errorf("%s: identities %q and %q", tt.title, a.Identity(), b.Identity())
		}
	}
}

func TestControlsSurviveTheWire(t *testing.T) {
	for _, tt := range messages() {
		if tt.d.Reason != Acted {
			continue
		}
		m := Render(policy(), tt.d, story.quote)
		body, err := m.Encode()
		if err != nil {
			t.Fatal(err)
		}
		back, err := DecodeControl(body)
		if err != nil {
			t.Fatalf("%s: %v", tt.title, err)
		}
		if diff := cmp.Diff(m.Control, back); diff != "" {
			t.Errorf("%s (-sent +received):\n%s", tt.title, diff)
		}
	}
}

func TestDecodeControlIsStrict(t *testing.T) {
	tests := []struct{ name, from, to, want string }{
		{"a higher version", `"v":1`, `"v":2`, "v: 2"},
		{"an unknown kind", `"kind":"halt"`, `"kind":"pause"`, "kind:"},
		{"no id", `"id":"ctl_`, `"id":"","x":"`, "id:"},
		{"no time", `"time":"`, `"time":"0001-01-01T00:00:00Z","x":"`, "expires:"},
		{"expired before it was made", `"expires":"2026`, `"expires":"2016`, "expires:"},
		{"no incident", `"incident":"inc_1"`, `"incident":""`, "incident:"},
		{"a run that is no name", `"run":"r1"`, `"run":"r 1"`, "identity:"},
		{"a tenant that is missing", `"tenant":"default",`, ``, "identity:"},
		{"an end status of another kind", `"end_status":"stuck"`, `"end_status":"done"`, "end_status:"},
		{"a halt without end status", `"end_status":"stuck"`, `"end_status":null`, "end_status:"},
		{"an observation in a halt", `"observation":null`, `"observation":{"role":"system","content":"x"}`, "observation:"},
		{"a key twice", `"v":1`, `"v":1,"v":1`, "duplicate"},
		{"a key in capitals is another key", `"end_status"`, `"END_STATUS"`, "end_status:"},
		{"a wrong type", `"rung":1`, `"rung":"1"`, "rung"},
		{"something behind it", `}}`, `}} {}`, "decode control"},
		{"no JSON", `{`, ``, "decode control"},
	}
	m := Render(policy(), repeated(HaltRun), story.quote)
	good, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			bad := strings.Replace(string(good), tt.from, tt.to, 1)
			if bad == string(good) {
				t.Fatalf("no %q in %s", tt.from, good)
			}
			_, err := DecodeControl([]byte(bad))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
		})
	}
}

func TestDecodeControlWantsThePartsOfItsKind(t *testing.T) {
	stuck := "stuck"
	tests := []struct {
		name   string
		kind   Kind
		change func(*Control)
		want   string
	}{
		{"an observation that ends the run", Inject, func(c *Control) { c.EndStatus = &stuck }, "end_status:"},
		{"an escalation that ends the run", Escalate, func(c *Control) { c.EndStatus = &stuck }, "end_status:"},
		{"an observation without its text", Inject, func(c *Control) { c.Observation.Content = "" }, "observation:"},
		{"an observation without observation", Inject, func(c *Control) { c.Observation = nil }, "observation:"},
		{"an escalation to the model", Escalate, func(c *Control) { c.Observation = &Observation{Content: "x"} }, "observation:"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := Render(policy(), repeated(tt.kind), story.quote).Control
			tt.change(&c)
			body, err := c.Encode()
			if err != nil {
				t.Fatal(err)
			}
			if _, err := DecodeControl(body); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
		})
	}
}

func TestDecodeControlIgnoresWhatItDoesNotKnow(t *testing.T) {
	m := Render(policy(), repeated(HaltRun), story.quote)
	body, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	more := strings.Replace(string(body), `{"v":1`, `{"later":{"a":[1]},"v":1`, 1)
	if _, err := DecodeControl([]byte(more)); err != nil {
		t.Error(err)
	}
	if _, err := DecodeControl(make([]byte, MaxMessage+1)); err == nil {
		t.Error("a control of any size is read")
	}
}

func TestExpiry(t *testing.T) {
	c := Render(policy(), repeated(Inject), story.quote)
	if got := c.Expires.Sub(c.Time); got != 10*time.Minute {
		t.Errorf("expires after %s", got)
	}
	if c.Expired(c.Expires) || !c.Expired(c.Expires.Add(1)) {
		t.Error("a control is valid up to and including its expiry")
	}
}

func TestPositionsAreOrdered(t *testing.T) {
	a, b, c := Position{Seq: 1, I: 1}, Position{Seq: 1, I: 2}, Position{Seq: 2}
	if !a.Before(b) || !b.Before(c) || !a.Before(c) || b.Before(a) || a.Before(a) || c.Before(b) {
		t.Error("positions are not ordered by seq, then place")
	}
}

func FuzzDecodeControl(f *testing.F) {
	for _, tt := range messages() {
		m := Render(policy(), tt.d, story.quote)
		body, err := m.Encode()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(body)
	}
	f.Add([]byte(`{"v":1}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := DecodeControl(data)
		if err != nil {
			return
		}
		body, err := c.Encode()
		if err != nil {
			t.Skip("a time that cannot be written") // beyond year 9999
		}
		again, err := DecodeControl(body)
		if err != nil {
			t.Fatalf("%v on %s", err, body)
		}
		if diff := cmp.Diff(c, again); diff != "" {
			t.Error(diff)
		}
	})
}
