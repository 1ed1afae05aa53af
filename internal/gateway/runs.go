package gateway

import (
	"context"
	"errors"
	"net/http"
	"strconv"

	"github.com/nats-io/nats.go"

	"github.com/loopwatch/loopwatch/internal/fleet"
	"github.com/loopwatch/loopwatch/pkg/events"
)

// Bounds of a listing.
const (
	defaultRuns = 1000
	mostRuns    = 10_000
)

// listed is the answer to a listing of runs.
type listed struct {
	Runs    []fleet.Run `json:"runs"`
	Partial bool        `json:"partial"` // not every partition has a processor that answered
}

// getRuns lists the runs that the processors remember.
func (g *Gateway) getRuns(w http.ResponseWriter, r *http.Request, who Caller) error {
	scope, err := scopeOf(r, who)
	if err != nil {
		return err
	}
	q := r.URL.Query()
	limit := defaultRuns
	if text := q.Get("limit"); text != "" {
		if limit, err = strconv.Atoi(text); err != nil || limit < 1 || limit > mostRuns {
			return badQuery("limit", "want 1 to "+strconv.Itoa(mostRuns))
		}
	}
	phase := q.Get("phase")
	switch phase {
	case "", "live", "ended", "lost", "halted", "awaiting":
	default:
		return badQuery("phase", "want live, ended, lost, halted or awaiting")
	}
	runs, partial, err := g.fleet.Runs(r.Context(), scope, phase, limit)
	if err != nil {
		return g.unasked(err)
	}
	if runs == nil {
		runs = []fleet.Run{}
	}
	return answer(w, http.StatusOK, listed{Runs: runs, Partial: partial})
}

// getRun answers with what is remembered of a run.
func (g *Gateway) getRun(w http.ResponseWriter, r *http.Request, who Caller) error {
	scope, err := scopeOf(r, who)
	if err != nil {
		return err
	}
	scope.Run = r.PathValue("run")
	d, err := g.theRun(r.Context(), scope)
	if err != nil {
		return err
	}
	return answer(w, http.StatusOK, d)
}

// scopeOf reads a scope from the query, within what the caller may see.
func scopeOf(r *http.Request, who Caller) (events.Scope, error) {
	q := r.URL.Query()
	return who.Narrow(events.Scope{Tenant: q.Get("tenant"), Agent: q.Get("agent"), Task: q.Get("task"), Run: q.Get("run")})
}

// theRun returns the one run of a scope that names a run.
func (g *Gateway) theRun(ctx context.Context, scope events.Scope) (fleet.Detail, error) {
	if !events.ValidName(scope.Run) {
		return fleet.Detail{}, badQuery("run", "want 1 to 128 of A-Z a-z 0-9 = - _, not beginning with _")
	}
	found, err := g.fleet.Details(ctx, scope)
	switch {
	case err != nil:
		return fleet.Detail{}, g.unasked(err)
	case len(found) == 1:
		return found[0], nil
	case len(found) == 0:
		return fleet.Detail{}, &Fault{Status: http.StatusNotFound, Code: "no_run", Message: "no run of this name is known", Hint: "GET /v1/runs lists those that are"}
	}
	f := &Fault{
		Status: http.StatusConflict, Code: "ambiguous", Message: strconv.Itoa(len(found)) + " runs have this name",
		Hint: "say which by tenant and task",
	}
	for _, d := range found {
		f.Candidates = append(f.Candidates, Candidate{Tenant: d.Tenant, Agent: d.Agent, Task: d.Task, Run: d.Run.Run})
	}
	return fleet.Detail{}, f
}

// unasked says why the processors could not be asked.
func (g *Gateway) unasked(err error) error {
	switch {
	case !g.conn.IsConnected(), errors.Is(err, nats.ErrConnectionClosed), errors.Is(err, nats.ErrConnectionReconnecting):
		return busAway()
	case errors.Is(err, fleet.ErrNobody):
		return &Fault{
			Status: http.StatusServiceUnavailable, Code: "no_processor", Message: "no processor answered",
			Hint: "is `loopwatch run` connected to the gateway's bus?", Retry: 2,
		}
	}
	return err
}
