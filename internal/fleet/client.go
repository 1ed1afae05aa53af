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
	said := claims{}
	answers, err := ask[page](ctx, c, subjectRuns, q)
	if err != nil {
		return nil, false, err
	}
	for _, a := range answers {
		said.claim(a.Instance, a.Partitions)
	}
	for _, a := range answers {
		runs = append(runs, said.own(a.Instance, a.Runs)...)
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
			runs = append(runs, said.own(a.Instance, a.Runs)...)
		}
		q.After = nil
	}
	if len(runs) > limit {
		runs = runs[:limit]
	}
	return runs, len(said) < c.Partitions, nil
}

// claims says which instance answers for a partition: while one goes from hand
// to hand, two may.
type claims map[int]string

// claim notes the partitions of an instance that nobody has claimed yet.
func (c claims) claim(instance string, partitions []int) {
	for _, p := range partitions {
		if _, taken := c[p]; !taken {
			c[p] = instance
		}
	}
}

// own returns those runs for whose partition the instance answers.
func (c claims) own(instance string, runs []Run) (out []Run) {
	for _, r := range runs {
		if c[r.Partition] == instance {
			out = append(out, r)
		}
	}
	return out
}

// ErrPartial says that not every partition has a processor that answered, so
// that something may be there which was not found.
var ErrPartial = errors.New("partial: not every partition has a processor that answered")

// Details returns every run of the fleet that matches, with what is remembered
// of it. Where none does and partitions are missing, the error is ErrPartial.
func (c *Client) Details(ctx context.Context, scope events.Scope) ([]Detail, error) {
	answers, err := ask[details](ctx, c, subjectRun, query{Scope: scope})
	if err != nil {
		return nil, err
	}
	var out []Detail
	said := claims{}
	for _, a := range answers {
		said.claim(a.Instance, a.Partitions)
		out = append(out, slices.DeleteFunc(a.Runs, func(d Detail) bool { return said[d.Partition] != a.Instance })...)
	}
	if len(out) == 0 && len(said) < c.Partitions {
		return nil, ErrPartial
	}
	return out, nil
}

// Status returns how every processor stands.
func (c *Client) Status(ctx context.Context) ([]Standing, error) {
	return ask[Standing](ctx, c, subjectStatus, struct{}{})
}

// Act carries out an operator's act and returns the partitions on which it is in
// force. Where one that it covers is not among them, that is an error: the act
// holds on the others, and may be repeated.
func (c *Client) Act(ctx context.Context, o events.Operator) ([]int, error) {
	done, err := c.Do(ctx, o)
	return done.Partitions, err
}

// Do is Act, and says also how many runs a resumption by name resumed: none
// where they were not halted, or somebody was faster.
func (c *Client) Do(ctx context.Context, o events.Operator) (done Done, err error) {
	answers, err := ask[Done](ctx, c, subjectAct, o)
	if err != nil {
		return done, err
	}
	var out []int
	for _, a := range answers {
		out = append(out, a.Partitions...)
		done.Runs += a.Runs
	}
	slices.Sort(out)
	out = slices.Compact(out)
	var missing []int
	for p := range c.Partitions {
		if covers(o.Scope, p, c.Partitions) && !slices.Contains(out, p) {
			missing = append(missing, p)
		}
	}
	done.Partitions = out
	if len(missing) > 0 {
		return done, fmt.Errorf("%w: not in force on %v: say it again when loopwatch doctor finds an owner for each", ErrPartial, missing)
	}
	return done, nil
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
