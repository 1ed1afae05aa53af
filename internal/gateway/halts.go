package gateway

import (
	"context"
	"crypto/rand"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/loopwatch/loopwatch/internal/fleet"
	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
)

// halted is what is halted now.
type halted struct {
	Halts   []fleet.ScopeHalt `json:"halts"` // by scope: they cover runs to come as well
	Runs    []fleet.Run       `json:"runs"`  // that are halted, by whatever halt
	Partial bool              `json:"partial"`
}

// getHalts lists what is halted.
func (g *Gateway) getHalts(w http.ResponseWriter, r *http.Request, who Caller) error {
	scope, err := scopeOf(r, who)
	if err != nil {
		return err
	}
	out := halted{Halts: []fleet.ScopeHalt{}, Runs: []fleet.Run{}}
	halts, partial, err := g.fleet.Halts(r.Context(), scope)
	if err != nil {
		return g.unasked(err)
	}
	runs, less, err := g.fleet.Runs(r.Context(), scope, "halted", mostRuns)
	if err != nil {
		return g.unasked(err)
	}
	out.Halts, out.Runs, out.Partial = append(out.Halts, halts...), append(out.Runs, runs...), partial || less
	return answer(w, http.StatusOK, out)
}

// haltRequest asks for a halt. A scope of {} means everything the caller may
// halt, and must have been written down.
type haltRequest struct {
	Scope  *events.Scope `json:"scope"`
	Reason string        `json:"reason"`
	For    string        `json:"for"` // Go duration, empty until it is resumed
	By     string        `json:"by"`
}

// postHalts halts what a scope covers.
func (g *Gateway) postHalts(w http.ResponseWriter, r *http.Request, who Caller) error {
	body, done, err := g.read(w, r)
	if err != nil {
		return err
	}
	defer done()
	var req haltRequest
	if err := json.Unmarshal(body, &req, json.RejectUnknownMembers(true)); err != nil || req.Scope == nil {
		return &Fault{
			Status: http.StatusBadRequest, Code: "invalid", Message: "want a JSON object with scope, reason, for and by, and nothing else; nothing was done",
			Hint: `{"scope":{"agent":"support"},"reason":"why","for":"2h"}; a scope of {} is everything`,
		}
	}
	if req.Reason == "" {
		return &Fault{Status: http.StatusBadRequest, Code: "invalid", Message: "reason: required; it is told to the worker and kept"}
	}
	return g.act(w, r, who, events.Operator{Action: "halt", Scope: *req.Scope, Reason: req.Reason, For: req.For, By: req.By})
}

// resumeKeys are what a resumption may say; a slip in a name must not widen its
// scope.
var resumeKeys = []string{"tenant", "agent", "task", "run", "all", "note", "by", "turns", "usd"}

// deleteHalts resumes what a scope covers.
func (g *Gateway) deleteHalts(w http.ResponseWriter, r *http.Request, who Caller) error {
	q := r.URL.Query()
	for _, name := range slices.Sorted(maps.Keys(q)) {
		if !slices.Contains(resumeKeys, name) {
			return badQuery("query", "not one of "+strings.Join(resumeKeys, ", ")+"; nothing was done")
		}
	}
	o := events.Operator{Action: "resume", Note: q.Get("note"), By: q.Get("by")}
	var err error
	if o.Scope, err = scopeOf(r, who); err != nil {
		return err
	}
	if q.Get("tenant")+q.Get("agent")+q.Get("task")+q.Get("run") == "" && q.Get("all") != "true" {
		return badQuery("all", "say what to resume: run, task, agent, tenant, or all=true")
	}
	if text := q.Get("turns"); text != "" {
		if o.Add.MaxTurns, err = strconv.Atoi(text); err != nil || o.Add.MaxTurns < 0 || o.Add.MaxTurns > events.MaxRound {
			return badQuery("turns", "want a whole number")
		}
	}
	if text := q.Get("usd"); text != "" {
		if o.Add.MaxCostUSD, err = strconv.ParseFloat(text, 64); err != nil || !(o.Add.MaxCostUSD >= 0 && o.Add.MaxCostUSD <= events.MaxAmount) {
			return badQuery("usd", "want a number")
		}
	}
	return g.act(w, r, who, o)
}

// acted is the answer to an operator's act.
type acted struct {
	Partitions []int `json:"partitions"` // it was published to
	InForce    bool  `json:"in_force"`   // false where a partition is behind: it takes effect in its turn
}

// act signs an operator's act with the gateway's key and publishes it to the
// partitions it covers. Who acted, and through which key, is part of it.
func (g *Gateway) act(w http.ResponseWriter, r *http.Request, who Caller, o events.Operator) error {
	signer := g.cfg.Front.Operator
	if signer.KeyID() == "" {
		return &Fault{
			Status: http.StatusForbidden, Code: "no_operator_key", Message: "the gateway has no key to sign operators' acts with",
			Hint: "start it with --operator-key, or act by `loopwatch halt` and `resume`",
		}
	}
	var err error
	if o.Scope, err = g.resolve(r.Context(), who, o.Scope); err != nil {
		return err
	}
	o.By = actions.Sanitise(or(o.By, who.Name), maxBy) + " (token " + who.Name + ") via gateway " + signer.KeyID()
	if o, err = actions.SignOperator(signer, o); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(r.Context(), g.cfg.StoreWait)
	defer cancel()
	stored, err := g.publishAct(ctx, o)
	if err != nil {
		return err
	}
	g.cfg.Logger.Info("operator's act", "action", o.Action, "by", o.By, "tenant", o.Scope.Tenant, "agent", o.Scope.Agent,
		"task", o.Scope.Task, "run", o.Scope.Run, "for", o.For)
	out := acted{Partitions: []int{}, InForce: g.applied(ctx, stored)}
	for p := range g.bus.Partitions() {
		if stored[p] != 0 {
			out.Partitions = append(out.Partitions, p)
		}
	}
	status := http.StatusOK
	if !out.InForce {
		status = http.StatusAccepted
	}
	return answer(w, status, out)
}

// maxBy bounds the name an operator gives, in bytes.
const maxBy = 100

// resolve bounds a scope to the caller's and, where it names a run, to that
// one run, which must be known.
func (g *Gateway) resolve(ctx context.Context, who Caller, s events.Scope) (events.Scope, error) {
	s, err := who.Narrow(s)
	if err != nil || s.Run == "" {
		return s, err
	}
	d, err := g.theRun(ctx, s)
	return events.Scope{Tenant: d.Tenant, Task: d.Task, Run: d.Run.Run}, err
}

// publishAct stores the act on every partition it covers and returns where.
func (g *Gateway) publishAct(ctx context.Context, o events.Operator) (map[int]uint64, error) {
	stored := map[int]uint64{}
	for p := range g.bus.Partitions() {
		if s := o.Scope; s.Tenant != "" && s.Task != "" && events.Partition(s.Tenant, s.Task, g.bus.Partitions()) != p {
			continue
		}
		id, err := events.NewID(time.Now(), rand.Reader)
		if err != nil {
			return nil, err
		}
		e := events.Event{V: events.Version, ID: id, Kind: events.OperatorAct, Time: time.Now(), Operator: &o}
		if err := e.Validate(); err != nil {
			return nil, &Fault{Status: http.StatusBadRequest, Code: "invalid", Message: err.Error()}
		}
		data, err := events.Encode(e)
		if err != nil {
			return nil, fmt.Errorf("encode the act: %w", err)
		}
		if stored[p], err = g.bus.PublishOwn(ctx, p, string(events.OperatorAct), id, data); err != nil {
			return nil, g.notStored(err)
		}
	}
	return stored, nil
}

// applied waits until the partitions have applied what was stored on them;
// false where they have not by the end of ctx.
func (g *Gateway) applied(ctx context.Context, stored map[int]uint64) bool {
	for ctx.Err() == nil {
		all, err := g.fleet.Status(ctx)
		if err != nil {
			return false
		}
		at := map[int]uint64{}
		for _, s := range all {
			for _, p := range s.Partitions {
				at[p.Partition] = max(at[p.Partition], p.Applied)
			}
		}
		behind := false
		for p, seq := range stored {
			behind = behind || at[p] < seq
		}
		if !behind {
			return true
		}
	}
	return false
}
