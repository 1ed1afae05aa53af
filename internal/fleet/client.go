package fleet

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/micro"

	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/state"
)

// Client asks every processor of a fleet.
type Client struct {
	Conn       *nats.Conn
	Partitions int           // of the bus; 0 asks whoever answers first for as long as Stall
	Stall      time.Duration // silence after which no further answer is expected; 0 means 300 ms
}

// ErrNobody says that no processor answered.
var ErrNobody = errors.New("no processor answered: is `loopwatch run` connected to this NATS?")

var semver = regexp.MustCompile(`^\d+\.\d+\.\d+$`)

// Runs lists the runs that match, and says whether partitions are missing.
func (c *Client) Runs(ctx context.Context, scope events.Scope, phase string, limit int) (runs []Run, partial bool, err error) {
	q := query{Scope: scope, Phase: phase}
	seen := map[int]bool{}
	answers, err := ask[page](ctx, c, subjectRuns, q)
	if err != nil {
		return nil, false, err
	}
	for _, a := range answers {
		for _, p := range a.Partitions {
			seen[p] = true
		}
		runs = append(runs, a.Runs...)
		for a.More && len(runs) < limit {
			last := a.Runs[len(a.Runs)-1]
			q.After = &state.RunID{Tenant: last.Tenant, Task: last.Task, Run: last.Run}
			q.Partition = last.Partition
			next, err := ask[page](ctx, c, subjectRuns, q)
			if err != nil {
				return nil, false, err
			}
			at := slices.IndexFunc(next, func(p page) bool { return p.Instance == a.Instance })
			if at < 0 || len(next[at].Runs) == 0 {
				break
			}
			a = next[at]
			runs = append(runs, a.Runs...)
		}
		q.After = nil
	}
	if len(runs) > limit {
		runs = runs[:limit]
	}
	return runs, len(seen) < c.Partitions, nil
}

// Details returns every run of the fleet that matches, with what is remembered
// of it.
func (c *Client) Details(ctx context.Context, scope events.Scope) ([]Detail, error) {
	answers, err := ask[details](ctx, c, subjectRun, query{Scope: scope})
	if err != nil {
		return nil, err
	}
	var out []Detail
	for _, a := range answers {
		out = append(out, a.Runs...)
	}
	return out, nil
}

// Status returns how every processor stands.
func (c *Client) Status(ctx context.Context) ([]Standing, error) {
	return ask[Standing](ctx, c, subjectStatus, struct{}{})
}

// Act carries out an operator's act and returns the partitions it was
// published to.
func (c *Client) Act(ctx context.Context, o events.Operator) ([]int, error) {
	answers, err := ask[Done](ctx, c, subjectAct, o)
	if err != nil {
		return nil, err
	}
	var out []int
	for _, a := range answers {
		out = append(out, a.Partitions...)
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// ask sends one question to all processors and gathers their answers until
// they fall silent.
func ask[T any](ctx context.Context, c *Client, subject string, q any) ([]T, error) {
	body, err := json.Marshal(q)
	if err != nil {
		return nil, fmt.Errorf("encode question: %w", err)
	}
	sub, err := c.Conn.SubscribeSync(c.Conn.NewInbox())
	if err != nil {
		return nil, fmt.Errorf("ask %s: %w", subject, err)
	}
	defer func() { _ = sub.Unsubscribe() }()
	if err := c.Conn.PublishRequest(subject, sub.Subject, body); err != nil {
		return nil, fmt.Errorf("ask %s: %w", subject, err)
	}
	var out []T
	wait := askPatience
	for {
		bound, cancel := context.WithTimeout(ctx, wait)
		m, err := sub.NextMsgWithContext(bound)
		cancel()
		switch {
		case errors.Is(err, nats.ErrNoResponders), err != nil && ctx.Err() == nil && len(out) == 0:
			return nil, ErrNobody
		case err != nil && ctx.Err() == nil:
			return out, nil
		case err != nil:
			return nil, fmt.Errorf("ask %s: %w", subject, err)
		}
		if code := m.Header.Get(micro.ErrorHeader); code != "" {
			return nil, fmt.Errorf("ask %s: %s", subject, code)
		}
		var v T
		if err := json.Unmarshal(m.Data, &v); err != nil {
			return nil, fmt.Errorf("ask %s: read answer: %w", subject, err)
		}
		out = append(out, v)
		if wait = c.Stall; wait == 0 {
			wait = 300 * time.Millisecond
		}
	}
}
