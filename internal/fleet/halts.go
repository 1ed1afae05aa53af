package fleet

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/state"
)

// ScopeHalt is an operator's halt of a scope that is in force: it covers the
// runs that match and those to come.
type ScopeHalt struct {
	Scope  events.Scope `json:"scope"` // never names a run: a run's own halt stands in its Detail
	Reason string       `json:"reason,omitempty"`
	By     string       `json:"by,omitempty"`
	Until  time.Time    `json:"until,omitzero"` // zero until it is resumed
}

// scopeHalts is the answer to a question about halts by scope.
type scopeHalts struct {
	Instance   string      `json:"instance"`
	Partitions []int       `json:"partitions"`
	Halts      []ScopeHalt `json:"halts"`
}

func (s *Service) halts(ctx context.Context, body []byte) (any, error) {
	var q query
	if err := json.Unmarshal(body, &q); err != nil {
		return nil, fmt.Errorf("read query: %w", err)
	}
	out := scopeHalts{Instance: s.Instance, Partitions: []int{}, Halts: []ScopeHalt{}}
	err := s.Processor.Ask(ctx, func(part *state.Partition, _ *actions.Policy) error {
		out.Partitions = append(out.Partitions, part.Number)
		for _, h := range part.Meta.Halts {
			if v := scopeHalt(h); meets(q.Scope, v.Scope) && (v.Until.IsZero() || s.Now().Before(v.Until)) {
				out.Halts = append(out.Halts, v)
			}
		}
		return nil
	})
	return out, err
}

func scopeHalt(h state.ScopeHalt) ScopeHalt {
	v := ScopeHalt{
		Scope:  events.Scope{Tenant: h.Tenant, Agent: h.Agent, Task: h.Task},
		Reason: h.Halt.Reason, By: h.Halt.By,
	}
	if h.Halt.UntilMS != 0 {
		v.Until = time.UnixMilli(h.Halt.UntilMS).UTC()
	}
	return v
}

// meets reports whether a run could be of both scopes.
func meets(a, b events.Scope) bool {
	same := func(x, y string) bool { return x == "" || y == "" || x == y }
	return same(a.Tenant, b.Tenant) && same(a.Agent, b.Agent) && same(a.Task, b.Task)
}

// Halts lists the halts by scope that could cover a run of the given scope,
// each once, and says whether partitions are missing.
func (c *Client) Halts(ctx context.Context, scope events.Scope) (halts []ScopeHalt, partial bool, err error) {
	answers, err := ask[scopeHalts](ctx, c, subjectHalts, query{Scope: scope})
	if err != nil {
		return nil, false, err
	}
	seen := map[int]bool{}
	for _, a := range answers {
		for _, p := range a.Partitions {
			seen[p] = true
		}
		halts = append(halts, a.Halts...)
	}
	slices.SortFunc(halts, func(a, b ScopeHalt) int { return strings.Compare(orderOf(a), orderOf(b)) })
	// Partitions store an act at slightly different times: halts are told apart by the minute.
	halts = slices.CompactFunc(halts, func(a, b ScopeHalt) bool { return orderOf(a) == orderOf(b) })
	return halts, len(seen) < c.Partitions, nil
}

func orderOf(h ScopeHalt) string {
	return strings.Join([]string{h.Scope.Tenant, h.Scope.Agent, h.Scope.Task, h.By, h.Reason, h.Until.Truncate(time.Minute).String()}, "\x00")
}
