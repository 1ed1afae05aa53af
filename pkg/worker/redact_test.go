package worker

import (
	"strings"
	"testing"

	"github.com/loopwatch/loopwatch/pkg/events"
)

func testRedactor() *redactor {
	return newRedactor(&Config{HashKey: []byte("a key of a tenant"), Secrets: []string{"Badge-Number"}})
}

// Every secret here is written between ‹ and ›, which is taken away first.
var secretTexts = map[string]string{
	"AWS":                   "use ‹AKIAIOSFODNN7EXAMPLE› now",
	"GitHub":                "‹ghp_16C7e42F292c6912E7710c838347Ae178B4a›",
	"GitHub, fine-grained":  "git clone with ‹github_pat_11ABCDEFG0123456789_abcdefghij›!",
	"Slack":                 "(‹xoxb-2310948234-abcDEF123›)",
	"OpenAI":                "OPENAI ‹sk-proj-abcdefghijklmnop1234567890›",
	"Anthropic":             "key ‹sk-ant-api03-abcdefghijklmnop_1234-567890›,",
	"Stripe":                "‹sk_live_4eC39HqLyjWDarjtT1zdp7dc›",
	"Google":                "‹AIzaSyD-9tSrke72PouQMnMX-a7eZSW0jkFMBWY›",
	"JWT":                   "cookie jar ‹eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U›",
	"PEM":                   "‹-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----› and on",
	"PEM cut off":           "‹-----BEGIN PRIVATE KEY-----\nMIIEowIBAAKCAQEA›",
	"URL":                   "postgres://‹admin:hunter2›@db.internal:5432/app",
	"URL, only a token":     "https://‹x-access-token:abc123›@github.com/a/b.git",
	"env":                   "export DB_PASSWORD=‹hunter2›; run",
	"env, quoted":           `API_KEY="‹two words›" run`,
	"flag":                  "mysql --password=‹x› -u root",
	"JSON in text":          `{"user":"a","apiKey":"‹abc›","n":1}`,
	"escaped JSON in text":  `"{\"client_secret\":\"‹abc›\",\"n\":1}"`,
	"header":                "Authorization: Bearer ‹abc.def-ghi123›",
	"header, basic":         "authorization: Basic ‹dXNlcjpwYXNz›\nAccept: */*",
	"cookie":                "Set-Cookie: ‹sid=1f2e3d4c›; Path=/",
	"YAML":                  "password: ‹c0rrect-horse›\nuser: a",
	"entropy near a name":   "the key is ‹9f8e7d6c5b4a39281706fedc› as you said",
	"named by the operator": `badge_number=‹55 ›`,
}

func TestSecretsInText(t *testing.T) {
	x := testRedactor()
	for name, c := range secretTexts {
		t.Run(name, func(t *testing.T) {
			from, to := strings.Index(c, "‹"), strings.Index(c, "›")
			secret := strings.TrimSpace(c[from+len("‹") : to])
			text := strings.NewReplacer("‹", "", "›", "").Replace(c)
			want := strings.TrimRight(c[:from], " ")
			got := x.text(text)
			if strings.Contains(got, secret) || !strings.HasPrefix(got, want) || !strings.Contains(got, x.mark(secret)) {
				t.Errorf("%q became %q", text, got)
			}
			if rest := strings.TrimPrefix(c[to+len("›"):], " "); !strings.HasSuffix(got, rest) {
				t.Errorf("%q became %q: the rest was touched", text, got)
			}
			if again := x.text(got); again != got {
				t.Errorf("again it becomes %q", again)
			}
			if other := newRedactor(&Config{HashKey: []byte("another key")}).mark(secret); strings.Contains(got, other) {
				t.Error("the mark does not depend on the key")
			}
		})
	}
}

// What no secret is stays to the letter.
func TestOrdinaryTextIsLeftAlone(t *testing.T) {
	x := testRedactor()
	for _, s := range []string{
		"", "no scans recorded for this tracking number", "tracking_number=JD0002261150", "commit 9f8e7d6c5b4a39281706fedc1a2b3c4d5e6f7a8b",
		"The password: please enter it", "max_tokens=4096, total tokens: 17", "https://example.com/a@b?q=1", "mail a@example.com", "http://[::1]:80/",
		"sk-short", "skeleton key", "eyJ is how they begin", "-----BEGIN CERTIFICATE-----", "tokenizer: 'bpe_v1'", "x == y; a:b", "key: value",
		"[redacted:0123456789ab]", "password=[redacted:0123456789ab]", "\xff\xfe", strings.Repeat("word ", 1000), "123e4567-e89b-12d3-a456-426614174000",
	} {
		if got := x.text(s); got != s {
			t.Errorf("%q became %q", s, got)
		}
	}
	for _, s := range []string{
		`null`, `{}`, `[]`, `{"tracking_number":"JD0002261150","n":1.50,"s":"\u0041"}`, `{"page_tokens":5,"max_tokens":1e2}`, `{"token":null,"secret":true,"password":""}`,
		`"x"`, `12`, `{"a":{"b":[1,{"c":"d"}]}}`, `{"a":1,"a":2}`,
	} {
		if got := x.json(events.RawJSON(s)); string(got) != s {
			t.Errorf("%s became %s", s, got)
		}
	}
}

func TestSecretsInJSON(t *testing.T) {
	x := testRedactor()
	m := x.mark
	for in, want := range map[string]string{
		`{"password":"a","n":1}`:                                                   `{"password":"` + m("a") + `","n":1}`,
		`{"n":1,"Api-Key":12}`:                                                     `{"n":1,"Api-Key":"` + m("12") + `"}`,
		`{"headers":{"Authorization":"Bearer x"},"b":"c"}`:                         `{"headers":{"Authorization":"` + m("Bearer x") + `"},"b":"c"}`,
		`{"credentials":{"user":"u","deep":["p",{"q":"r"}],"ok":true},"user":"u"}`: `{"credentials":{"user":"` + m("u") + `","deep":["` + m("p") + `",{"q":"` + m("r") + `"}],"ok":true},"user":"u"}`,
		`{"cookies":["a","b"],"c":"d"}`:                                            `{"cookies":["` + m("a") + `","` + m("b") + `"],"c":"d"}`,
		`{"url":"ftp://u:p@h/"}`:                                                   `{"url":"ftp://` + m("u:p") + `@h/"}`,
		`["AKIAIOSFODNN7EXAMPLE"]`:                                                 `["` + m("AKIAIOSFODNN7EXAMPLE") + `"]`,
		`{"AKIAIOSFODNN7EXAMPLE":1}`:                                               `{"` + m("AKIAIOSFODNN7EXAMPLE") + `":1}`,
		`"{\"accessToken\":\"a\"}"`:                                                `"{\"accessToken\":\"` + m("a") + `\"}"`,
		`{"sec\u0072et":"\u0061"}`:                                                 `{"sec\u0072et":"` + m("a") + `"}`,
		`{"secret":"a","secret":"b"}`:                                              `{"secret":"` + m("a") + `","secret":"` + m("b") + `"}`,
		`{"badgeNumber":"7"}`:                                                      `{"badgeNumber":"` + m("7") + `"}`,
	} {
		raw := []byte(in)
		if got := x.json(raw); string(got) != want {
			t.Errorf("%s\nbecame %s\nwant   %s", in, got, want)
		}
		if string(raw) != in {
			t.Errorf("%s was changed in place", in)
		}
	}
}

// Every text of an event is looked at.
func TestEveryTextIsRedacted(t *testing.T) {
	const secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
	for name, e := range textEvents(secret) {
		testRedactor().event(&e)
		body, err := events.Encode(e)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if strings.Contains(string(body), secret) || !strings.Contains(string(body), marked) {
			t.Errorf("%s is sent as %s", name, body)
		}
	}
}

// textEvents has an event of every kind with a text in each place where it can
// have one.
func textEvents(s string) map[string]events.Event {
	js := quote(s)
	base := events.Event{V: 1, ID: "e", Tenant: "t", Agent: "a", Task: "t", Run: "r", Seq: 1, Round: 1, Time: baseTime}
	with := func(kind events.Kind, set func(*events.Event)) events.Event {
		e := base
		e.Kind = kind
		set(&e)
		return e
	}
	return map[string]events.Event{
		"goal":  with(events.RunStart, func(e *events.Event) { e.Start = &events.Start{Goal: s} }),
		"text":  with(events.TurnKind, func(e *events.Event) { e.Turn = &events.Turn{Text: s} }),
		"state": with(events.TurnKind, func(e *events.Event) { e.Turn = &events.Turn{State: events.RawJSON(`{"a":` + string(js) + `}`)} }),
		"args": with(events.ToolCall, func(e *events.Event) {
			e.Call = &events.Call{ID: "c", Tool: "t", Args: events.RawJSON(`{"a":[` + string(js) + `]}`)}
		}),
		"raw":     with(events.ToolCall, func(e *events.Event) { e.Call = &events.Call{ID: "c", Tool: "t", RawArgs: s} }),
		"content": with(events.ToolResult, func(e *events.Event) { e.Result = &events.Result{CallID: "c", Tool: "t", Content: js} }),
		"error": with(events.ToolResult, func(e *events.Event) {
			e.Result = &events.Result{CallID: "c", Tool: "t", Error: &events.Error{Message: s}}
		}),
		"message": with(events.Said, func(e *events.Event) { e.Message = &events.Message{Role: "user", Text: s} }),
		"reason":  with(events.RunEnd, func(e *events.Event) { e.End = &events.End{Status: events.Done, Reason: s} }),
		"blocker": with(events.RunEnd, func(e *events.Event) {
			e.End = &events.End{Status: events.Blocked, Blocked: &events.Blocker{Attempted: []string{s}, Blocker: s, Needs: s}}
		}),
	}
}
