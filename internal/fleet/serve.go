package fleet

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/micro"

	"github.com/loopwatch/loopwatch/internal/processor"
	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/state"
)

// Service is one processor as the fleet's operators reach it.
type Service struct {
	Instance  string
	Version   string
	Processor *processor.Processor
	Operator  actions.Signer // signs acts that come through here
	Now       func() time.Time
	Sole      bool // owns the whole bus for the life of the process
}

// Subjects of the service's endpoints.
const (
	group         = "lw.q"
	subjectRuns   = group + ".runs"
	subjectRun    = group + ".run"
	subjectStatus = group + ".status"
	subjectAct    = group + ".act"
	subjectHalts  = group + ".halts"
)

// askPatience bounds how long one answer may take.
const askPatience = 5 * time.Second

// most runs in one answer.
const pageSize = 200

// Runs selected by their halt, whatever their phase.
const (
	phaseHalted   = "halted"
	phaseAwaiting = "awaiting"
)

// Serve offers the micro service until it is stopped.
func (s *Service) Serve(nc *nats.Conn) (micro.Service, error) {
	version := s.Version
	if !semver.MatchString(version) {
		version = "0.0.0"
	}
	svc, err := micro.AddService(nc, micro.Config{
		Name: "loopwatch", Version: version, Description: "watchdog of agent runs: queries and operators' acts",
		Metadata:           map[string]string{"instance": s.Instance, "version": s.Version},
		StatsHandler:       func(*micro.Endpoint) any { return s.standing() },
		QueueGroupDisabled: true, // every processor answers for its own partitions
	})
	if err != nil {
		return nil, fmt.Errorf("offer the service: %w", err)
	}
	for subject, h := range map[string]func(context.Context, []byte) (any, error){
		subjectRuns: s.runs, subjectRun: s.run, subjectStatus: s.status, subjectAct: s.act, subjectHalts: s.halts,
	} {
		name := subject[len(group)+1:]
		if err := svc.AddEndpoint(name, micro.HandlerFunc(handler(h)), micro.WithEndpointSubject(subject)); err != nil {
			_ = svc.Stop()
			return nil, fmt.Errorf("offer %s: %w", subject, err)
		}
	}
	return svc, nil
}

// handler answers a request in JSON.
func handler(h func(context.Context, []byte) (any, error)) func(micro.Request) {
	return func(r micro.Request) {
		ctx, cancel := context.WithTimeout(context.Background(), askPatience)
		defer cancel()
		v, err := h(ctx, r.Data())
		if err != nil {
			_ = r.Error("400", err.Error(), nil)
			return
		}
		b, err := json.Marshal(v)
		if err != nil {
			_ = r.Error("500", err.Error(), nil)
			return
		}
		_ = r.Respond(b)
	}
}

func (s *Service) status(context.Context, []byte) (any, error) { return s.standing(), nil }

func (s *Service) standing() Standing {
	return Standing{
		Instance: s.Instance, Version: s.Version, Sole: s.Sole, Partitions: s.Processor.Status(), Blind: s.Processor.Blind(),
	}
}

func (s *Service) runs(ctx context.Context, body []byte) (any, error) {
	var q query
	if err := json.Unmarshal(body, &q); err != nil {
		return nil, fmt.Errorf("read query: %w", err)
	}
	if q.Limit <= 0 || q.Limit > pageSize {
		q.Limit = pageSize
	}
	out := page{Instance: s.Instance, Runs: []Run{}}
	var err error
	out.Partitions, err = s.each(ctx, q, func(p int, r *state.Run) bool {
		if len(out.Runs) == q.Limit {
			out.More = true
			return false
		}
		out.Runs = append(out.Runs, runOf(p, r))
		return true
	})
	return out, err
}

func (s *Service) run(ctx context.Context, body []byte) (any, error) {
	var q query
	if err := json.Unmarshal(body, &q); err != nil {
		return nil, fmt.Errorf("read query: %w", err)
	}
	out := details{Instance: s.Instance, Runs: []Detail{}}
	var err error
	out.Partitions, err = s.each(ctx, q, func(p int, r *state.Run) bool {
		out.Runs = append(out.Runs, detailOf(p, r))
		return len(out.Runs) < 20
	})
	return out, err
}

// each calls fn for the runs that a query selects, partition by partition and
// ordered within each, until fn returns false. It returns the partitions that it
// answers for.
func (s *Service) each(ctx context.Context, q query, fn func(p int, r *state.Run) bool) (partitions []int, err error) {
	more := true
	partitions = []int{}
	err = s.Processor.Ask(ctx, func(part *state.Partition, _ *actions.Policy) error {
		if partitions = append(partitions, part.Number); !more {
			return nil
		}
		return part.EachRun(func(r *state.Run) bool {
			if selects(q, part.Number, r) {
				more = fn(part.Number, r)
			}
			return more
		})
	})
	return partitions, err
}

func selects(q query, p int, r *state.Run) bool {
	sc := q.Scope
	switch {
	case sc.Tenant != "" && sc.Tenant != r.ID.Tenant, sc.Agent != "" && sc.Agent != r.Agent,
		sc.Task != "" && sc.Task != r.ID.Task, sc.Run != "" && sc.Run != r.ID.Run:
		return false
	case q.Phase == phaseHalted:
		return r.Ledger.Halt.Active() && (q.After == nil || behind(q, p, r))
	case q.Phase == phaseAwaiting:
		return r.Escalated() && (q.After == nil || behind(q, p, r))
	case q.Phase != "" && q.Phase != r.Phase.String():
		return false
	}
	return q.After == nil || behind(q, p, r)
}

// behind reports whether a run comes after the one a listing goes on from.
func behind(q query, p int, r *state.Run) bool {
	if p != q.Partition {
		return p > q.Partition
	}
	return state.CompareRuns(r.ID, *q.After) > 0
}

// act publishes an operator's act, signed, to those partitions it covers that
// are this instance's.
func (s *Service) act(ctx context.Context, body []byte) (any, error) {
	var o events.Operator
	if err := json.Unmarshal(body, &o); err != nil {
		return nil, fmt.Errorf("read act: %w", err)
	}
	o, err := actions.SignOperator(s.Operator, o)
	if err != nil {
		return nil, err
	}
	out := Done{Partitions: []int{}}
	stored := map[int]uint64{}
	for _, st := range s.Processor.Status() {
		if !covers(o.Scope, st.Partition, s.Processor.Partitions()) {
			continue
		}
		seq, err := s.Processor.Publish(ctx, st.Partition, events.Event{Kind: events.OperatorAct, Time: s.Now(), Operator: &o})
		if errors.Is(err, processor.ErrNotOwner) { // another instance's by now
			continue
		}
		if err != nil {
			return nil, err
		}
		stored[st.Partition] = seq
	}
	if err := s.applied(ctx, stored); err != nil {
		return nil, err
	}
	for p := range stored {
		out.Partitions = append(out.Partitions, p)
	}
	if o.Action == "resume" && o.Scope.Run != "" {
		out.Runs, err = s.resumed(ctx, o.Scope, stored)
	}
	return out, err
}

// resumed counts the runs that the act at these positions resumed by name.
func (s *Service) resumed(ctx context.Context, sc events.Scope, stored map[int]uint64) (n int, err error) {
	_, err = s.each(ctx, query{Scope: sc}, func(p int, r *state.Run) bool {
		if seq := stored[p]; seq != 0 && r.Ledger.Lifted == seq {
			n++
		}
		return true
	})
	return n, err
}

// covers reports whether runs of a scope may be on a partition.
func covers(sc events.Scope, partition, partitions int) bool {
	return sc.Tenant == "" || sc.Task == "" || events.Partition(sc.Tenant, sc.Task, partitions) == partition
}

// applied waits until the partitions have applied what was stored on them. One
// that goes to another instance meanwhile is taken out of stored.
func (s *Service) applied(ctx context.Context, stored map[int]uint64) error {
	t := time.NewTicker(5 * time.Millisecond)
	defer t.Stop()
	for {
		behind, here := 0, map[int]bool{}
		for _, st := range s.Processor.Status() {
			if here[st.Partition] = true; st.Applied < stored[st.Partition] {
				behind++
			}
		}
		maps.DeleteFunc(stored, func(p int, _ uint64) bool { return !here[p] })
		if behind == 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the act is stored, and %d partitions have not applied it yet: they are behind, it takes effect in its turn", behind)
		case <-t.C:
		}
	}
}
