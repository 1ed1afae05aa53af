package gateway_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/loopwatch/loopwatch/internal/gateway"
)

// The tokens of the tests.
const (
	supportToken  = "support-0123456789"
	coderToken    = "coder-0123456789"
	viewerToken   = "viewer-0123456789"
	operatorToken = "operator-0123456789"
)

// tokens writes a token file and reads it.
func tokens(t *testing.T) *gateway.Tokens {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tokens.yaml")
	text := fmt.Sprintf(`tokens:
  support: {token: %s, role: worker, tenant: default, agent: support}
  coder: {token: %s, role: worker, tenant: default, agent: coder}
  look: {token: %s, role: viewer, tenant: default}
  lee: {token: %s, role: operator}
`, supportToken, coderToken, viewerToken, operatorToken)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	known, err := gateway.ReadTokens(path)
	if err != nil {
		t.Fatal(err)
	}
	return known
}

// guarded is a stage whose gateway has tokens.
func guarded(t *testing.T, policy string, change ...func(*gateway.Config)) *stage {
	t.Helper()
	known := tokens(t)
	return newStage(t, policy, func(c *gateway.Config) {
		c.Front.Tokens, c.Front.Operator = known, operator()
		for _, f := range change {
			f(c)
		}
	})
}

// with is the stage with another token.
func (s *stage) with(token string) *stage {
	other := *s
	other.token = token
	return &other
}

// everything lists a request for each route that needs a role.
var everything = []struct {
	method, path string
	needs        gateway.Role
}{
	{"POST", "/v1/events", gateway.Worker},
	{"POST", "/v1/check", gateway.Worker},
	{"GET", "/v1/runs/r1/control", gateway.Worker},
	{"GET", "/v1/runs", gateway.Viewer},
	{"GET", "/v1/runs/r1", gateway.Viewer},
	{"GET", "/v1/halts", gateway.Viewer},
	{"POST", "/v1/halts", gateway.Operator},
	{"DELETE", "/v1/halts", gateway.Operator},
}

func TestNobodyComesInWithoutAToken(t *testing.T) {
	s := guarded(t, "default")
	if n := len(everything); n != 8 {
		t.Fatal("count again")
	}
	for _, r := range s.gate.Routes() {
		found := r.Needs == 0
		for _, e := range everything {
			found = found || e.method == r.Method && strings.ReplaceAll(e.path, "r1", "{run}") == r.Path && e.needs == r.Needs
		}
		if !found {
			t.Errorf("%s %s is not tried here", r.Method, r.Path)
		}
	}
	for _, e := range everything {
		for _, c := range []struct{ name, header string }{
			{"none", ""}, {"unknown", "Bearer " + strings.Repeat("x", 20)}, {"not a bearer", supportToken},
			{"other scheme", "Basic " + supportToken}, {"more behind it", "Bearer " + supportToken + "x"}, {"less", "Bearer " + supportToken[:12]},
		} {
			r := s.do(e.method, e.path, "{}", "Authorization", c.header)
			if r.status != 401 || r.code() != "no_token" || r.header.Get("WWW-Authenticate") == "" {
				t.Errorf("%s %s with a token that is %s: %d %s", e.method, e.path, c.name, r.status, r.body)
			}
		}
		for token, roles := range map[string]gateway.Role{
			supportToken: gateway.Worker, viewerToken: gateway.Viewer, operatorToken: gateway.Viewer | gateway.Operator,
		} {
			r := s.with(token).do(e.method, e.path+"?wait=0s", "{}")
			if got := r.code() == "wrong_role"; got != (roles&e.needs == 0) {
				t.Errorf("%s %s with %s: %d %s", e.method, e.path, token, r.status, r.body)
			}
		}
	}
}

// A worker's token speaks for its tenant and agent only, and lends them to
// events that name none.
func TestAWorkerIsBoundToItsAgent(t *testing.T) {
	s := guarded(t, "default")
	support, coder := s.with(supportToken), s.with(coderToken)
	own := said("r1-1", "turn", "r1", 1, `"round":1,"turn":{}`)
	unnamed := strings.Replace(said("r1-2", "turn", "r1", 2, `"round":2,"turn":{}`), `"agent":"support",`, "", 1)
	other := strings.Replace(own, `"r1-1"`, `"r1-3"`, 1)
	if got := support.take(own + "\n" + unnamed); got.Accepted != 2 {
		t.Errorf("taken as %+v", got)
	}
	coder.want(coder.do("POST", "/v1/events", unnamed[:len(unnamed)-1]+`,"x":1}`+"\n"+other), 403, "not_yours")
	coder.want(coder.do("POST", "/v1/check", call("r1", 3, "c1", parcel)), 403, "not_yours")
	tenant := strings.Replace(own, `"agent":"support"`, `"agent":"support","tenant":"acme"`, 1)
	support.want(support.do("POST", "/v1/events", tenant), 403, "not_yours")
	for _, q := range []string{"agent=support", "agent=support&tenant=default", "tenant=acme"} {
		coder.want(coder.do("GET", "/v1/runs/r1/control?wait=0s&"+q, ""), 403, "not_yours")
	}
	if got := s.stored("r1"); len(got) != 2 {
		t.Errorf("stored %v", got)
	}
}

// The agent of a token that reads another's run by name and place gets nothing.
func TestControlsOfAnotherAgentAreNotRead(t *testing.T) {
	s := guarded(t, "sundry")
	support, coder := s.with(supportToken), s.with(coderToken)
	support.ask(start("r1"))
	support.loop("r1")
	s.until("everything is logged", func() bool { return len(support.poll("r1", "0", "0s").Controls) == len(looped) })
	id := support.poll("r1", "0", "0s").Controls[0].ID
	r := coder.do("GET", "/v1/runs/r1/control?wait=0s&after=0", "")
	if got := read(t, r); r.status != 200 || len(got.Controls) != 0 {
		t.Errorf("answered %d %s", r.status, r.body)
	}
	coder.want(coder.do("GET", "/v1/runs/r1/control?wait=0s&after="+id, ""), 410, "unknown_after")
}

func TestHostsAndOrigins(t *testing.T) {
	s := newStage(t, "default", func(c *gateway.Config) { c.Front.Hosts = []string{"Loopwatch.example"} })
	_, port, _ := strings.Cut(strings.TrimPrefix(s.url, "http://"), ":")
	for _, c := range []struct {
		host string
		ok   bool
	}{
		{"127.0.0.1:" + port, true}, {"localhost:" + port, true}, {"localhost", true}, {"[::1]:" + port, true}, {"LOCALHOST.", true},
		{"loopwatch.example", true}, {"loopwatch.example:443", true},
		{"evil.example", false}, {"evil.example:" + port, false}, {"localhost.evil.example", false}, {"127.0.0.1.evil.example", false}, {"x.loopwatch.example", false},
	} {
		for _, e := range everything {
			if c.ok && e.method == "GET" {
				continue // those ask the fleet, which takes its time
			}
			r := s.do(e.method, e.path, "[]", "Host", c.host)
			if got := r.status != http.StatusMisdirectedRequest; got != c.ok {
				t.Errorf("%s %s under Host %s: %d %s", e.method, e.path, c.host, r.status, r.body)
			}
		}
		if r := s.do("GET", "/openapi.json", "", "Host", c.host); (r.status == 200) != c.ok {
			t.Errorf("the document under Host %s: %d", c.host, r.status)
		}
		if r := s.do("GET", "/livez", "", "Host", c.host); r.status != 200 {
			t.Errorf("a probe under Host %s: %d", c.host, r.status)
		}
	}
	for _, h := range [][]string{
		{"Origin", "http://evil.example"}, {"Origin", "null"}, {"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"},
	} {
		s.want(s.do("POST", "/v1/events", "[]", h...), 403, "cross_origin")
		s.want(s.do("POST", "/v1/check", "{}", h...), 403, "cross_origin")
		s.want(s.do("POST", "/v1/halts", "{}", h...), 403, "cross_origin")
		s.want(s.do("DELETE", "/v1/halts", "", h...), 403, "cross_origin")
	}
	s.want(s.do("POST", "/v1/events", "[]", "Origin", s.url), 202, "")
	s.want(s.do("POST", "/v1/events", "[]", "Sec-Fetch-Site", "same-origin"), 202, "")
	for _, h := range []string{"text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""} {
		for _, path := range []string{"/v1/events", "/v1/check"} {
			s.want(s.do("POST", path, "[]", "Content-Type", h), 415, "not_json")
		}
	}
	s.want(s.do("POST", "/v1/events", "[]", "Content-Encoding", "gzip"), 415, "not_json")
	s.want(s.do("POST", "/v1/events", "[]", "Content-Type", "application/json; charset=utf-8"), 202, "")
	s.want(s.do("POST", "/v1/events", "", "Content-Type", "application/x-ndjson"), 400, "unreadable")
}

func TestWhatIsNotServed(t *testing.T) {
	s := newStage(t, "default", func(c *gateway.Config) {
		c.Extra = []gateway.Route{{Method: "GET", Path: "/v1/report/{name}", Needs: gateway.Viewer, Serve: func(w http.ResponseWriter, r *http.Request, who gateway.Caller) error {
			if who.Name != "local" {
				return fmt.Errorf("called by %q", who.Name)
			}
			w.WriteHeader(http.StatusNotFound)
			_, err := w.Write([]byte(r.PathValue("name")))
			return err
		}}}
	})
	for _, path := range []string{"/", "/v1", "/v1/runs/", "/v1/event", "/v1/runs/a/b"} {
		s.want(s.do("GET", path, ""), 404, "no_route")
	}
	for _, r := range []struct{ method, path, allow string }{
		{"GET", "/v1/events", "POST"}, {"PUT", "/v1/check", "POST"}, {"PATCH", "/v1/halts", "DELETE, GET, POST"}, {"OPTIONS", "/v1/events", "POST"},
	} {
		got := s.do(r.method, r.path, "")
		s.want(got, 405, "no_method")
		if a := got.header.Get("Allow"); a != r.allow {
			t.Errorf("%s %s: Allow %q, want %q", r.method, r.path, a, r.allow)
		}
	}
	if r := s.do("GET", "/v1/report/waste", ""); string(r.body) != "waste" {
		t.Errorf("a route that was added: %d %s", r.status, r.body)
	}
	if r := s.do("GET", "/openapi.json", ""); !strings.HasPrefix(string(r.body), "{") || strings.TrimSpace(string(r.body)) != strings.TrimSpace(string(gateway.Document)) {
		t.Errorf("the document is served as %d bytes", len(r.body))
	}
}

// The document and the routes are the same, method for method.
func TestTheDocumentListsTheRoutes(t *testing.T) {
	s := newStage(t, "default", nil)
	served := map[string]bool{}
	for _, r := range s.gate.Routes() {
		served[r.Path+" "+strings.ToLower(r.Method)] = true
	}
	for path, methods := range spec().Paths {
		for method := range methods {
			if !served[path+" "+method] {
				t.Errorf("the document has %s %s, which is not served", method, path)
			}
			delete(served, path+" "+method)
		}
	}
	for at := range served {
		t.Errorf("%s is not in the document", at)
	}
}
