package gateway

import (
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
)

// Fault is the answer to a request that is not served; it is the error that a
// Route returns. Any other error is answered as 500 and logged.
type Fault struct {
	Status  int    // of the response
	Code    string // one word for programs, from the list in the OpenAPI document
	Message string // what is wrong, for people; never quotes content or tokens
	Hint    string // what the caller can do; empty where there is nothing
	Retry   int    // seconds after which the same request may fare better; 0 where it will not

	Candidates []Candidate // of a name that is not unique
}

// Candidate is one of several runs of the same name.
type Candidate struct {
	Tenant string `json:"tenant"`
	Agent  string `json:"agent"`
	Task   string `json:"task"`
	Run    string `json:"run"`
}

// Error says what is wrong.
func (f *Fault) Error() string { return f.Code + ": " + f.Message }

// faultBody is a Fault on the wire.
type faultBody struct {
	Error      problem     `json:"error"`
	Candidates []Candidate `json:"candidates,omitempty"` // with code ambiguous
}

type problem struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}

// refuse answers with the fault that err is.
func (g *Gateway) refuse(w http.ResponseWriter, r *http.Request, err error) {
	var f *Fault
	if !errors.As(err, &f) {
		g.cfg.Logger.Error("a request failed", "method", r.Method, "route", r.Pattern, "error", err)
		f = &Fault{Status: http.StatusInternalServerError, Code: "internal", Message: "the gateway failed; its log says why"}
	}
	if f.Retry > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(f.Retry))
	}
	if f.Status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Bearer realm="loopwatch"`)
	}
	_ = answer(w, f.Status, faultBody{Error: problem{f.Code, f.Message, f.Hint}, Candidates: f.Candidates}) // nobody to tell
}

// answer writes a value as JSON.
func answer(w http.ResponseWriter, status int, v any) error {
	b, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		return err
	}
	return answerRaw(w, status, b)
}

// writeWait is how long a caller may take to read an answer.
const writeWait = 30 * time.Second

// answerRaw writes JSON. A caller that is gone is no error: it will ask again.
func answerRaw(w http.ResponseWriter, status int, body []byte) error {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeWait)) // a writer without deadlines is a test's
	w.WriteHeader(status)
	_, _ = w.Write(body)
	_, _ = w.Write([]byte{'\n'})
	return nil
}
