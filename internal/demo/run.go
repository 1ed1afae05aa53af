package demo

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/worker"
)

// Options say what fleet to simulate.
type Options struct {
	URL      string // of a NATS server that a processor is connected to
	Trusted  actions.KeyRing
	Guard    *actions.Policy
	Agents   int           // how many; at least one of each kind is made
	Seed     uint64        // the same seed gives the same fleet
	Duration time.Duration // about how long a run of the turn limit takes
}

// Fleet is the simulation with what became of every agent.
type Fleet struct {
	mu    sync.Mutex
	lines []*Line
}

// Run simulates the fleet until every agent has come to its end or ctx ends.
func (f *Fleet) Run(ctx context.Context, o Options) error {
	nc, err := nats.Connect(o.URL, nats.MaxReconnects(-1), nats.Name("loopwatch demo fleet"))
	if err != nil {
		return fmt.Errorf("connect the fleet: %w", err)
	}
	defer nc.Close()
	rnd := rand.New(rand.NewPCG(o.Seed, 1))
	all := kinds()
	var wg sync.WaitGroup
	errs := make([]error, max(o.Agents, len(all)))
	for i := range errs {
		k := &all[i%len(all)]
		a := &agent{
			ctx: ctx, kind: k, rnd: rand.New(rand.NewPCG(o.Seed, uint64(i)+2)),
			pace: o.Duration / turnLimit, heed: rnd.IntN(3) > 0,
			line: &Line{fleet: f, Kind: k.name, Run: fmt.Sprintf("%s-%02d", k.name, i+1), Loops: k.loops},
		}
		f.add(a.line)
		wg.Go(func() { errs[i] = a.live(nc, o) })
	}
	wg.Wait()
	if ctx.Err() != nil {
		return nil
	}
	return errors.Join(errs...)
}

// live is one agent's life, from its start to its end.
func (a *agent) live(nc *nats.Conn, o Options) error {
	run, err := worker.Start(a.ctx, worker.Config{
		Conn: nc, Agent: a.kind.agent, Run: a.line.Run, Trusted: o.Trusted, Guard: o.Guard, Wait: 2 * time.Second,
		Start: events.Start{Attempt: 1, Model: "scripted", Tools: a.kind.tools, Limits: a.kind.limits, Goal: a.kind.doc},
	})
	if err != nil {
		return fmt.Errorf("start %s: %w", a.line.Run, err)
	}
	a.run = run
	status, err := a.kind.script(a)
	var halted *worker.HaltedError
	if errors.As(err, &halted) {
		a.line.halt(halted.Control)
		err = nil
	}
	a.told = append(a.told, run.Observations()...)
	a.line.end(string(status), len(a.told))
	end, cancel := context.WithTimeout(context.WithoutCancel(a.ctx), 5*time.Second)
	defer cancel()
	if eerr := run.End(end, status, "the script has ended"); err == nil {
		err = eerr
	}
	if a.ctx.Err() != nil {
		return nil
	}
	if err != nil {
		return fmt.Errorf("run %s: %w", a.line.Run, err)
	}
	return nil
}

func (f *Fleet) add(l *Line) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.lines = append(f.lines, l)
}

// Lines returns what became of every agent so far.
func (f *Fleet) Lines() []Line {
	f.mu.Lock()
	defer f.mu.Unlock()
	out := make([]Line, len(f.lines))
	for i, l := range f.lines {
		out[i] = *l
	}
	return out
}

// Kinds explains the sorts of agents, a line each.
func Kinds() string {
	var b strings.Builder
	for _, k := range kinds() {
		fmt.Fprintf(&b, "  %-8s %s\n", k.name, k.doc)
	}
	return b.String()
}
