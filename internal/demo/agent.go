package demo

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/worker"
)

// kind is one sort of agent.
type kind struct {
	name, doc string
	agent     string
	tools     []events.Tool
	limits    events.Limits
	loops     bool // left alone it would go on until its limit
	script    func(*agent) (events.Status, error)
}

// agent is one simulated agent at work.
type agent struct {
	ctx  context.Context
	kind *kind
	run  *worker.Run
	rnd  *rand.Rand
	pace time.Duration // between two turns
	turn int
	heed bool // it takes another option when told that it repeats itself
	told []actions.Observation
	line *Line
}

// turnLimit is where a simulated agent's framework would stop it.
const turnLimit = 40

// costOf is what turn n costs in US dollars: the transcript is sent again with
// every turn, so the price grows with n.
func costOf(n int) float64 { return 0.003 + 0.0015*float64(n) }

// think is one model response: it takes in what loopwatch injected, waits its
// pace and reports the turn.
func (a *agent) think(text string, more ...func(*events.Turn)) error {
	select {
	case <-time.After(a.pace/2 + time.Duration(a.rnd.Int64N(int64(a.pace)))):
	case <-a.run.Done():
	case <-a.ctx.Done():
		return a.ctx.Err()
	}
	a.told = append(a.told, a.run.Observations()...)
	a.turn++
	cost := costOf(a.turn)
	t := events.Turn{Text: text, CostUSD: &cost, Usage: &events.Usage{InputTokens: int64(800 + 500*a.turn), OutputTokens: 120}}
	for _, f := range more {
		f(&t)
	}
	a.line.turn(a.turn, cost)
	return a.run.Turn(t)
}

// do is one tool call whose tool answers content, or fails with failed.
func (a *agent) do(tool string, args any, content any, failed error) error {
	a.line.did(tool)
	_, err := a.run.Do(a.ctx, tool, args, func(context.Context) (any, error) {
		a.line.executed()
		return content, failed
	})
	return err
}

// listens reports whether the agent was told that it repeats itself and takes
// the hint.
func (a *agent) listens() bool { return a.heed && len(a.told) > 0 }
