package worker

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/loopwatch/loopwatch/pkg/events"
)

// Call is one tool call that the run asked about.
type Call struct {
	ID, Tool string
	Round    int
	Replay   *Output // earlier result to hand to the model instead of executing; nil means execute
	Guarded  bool    // the guard decided, no answer came in time

	began time.Time
}

// Output is what a tool brought, or the earlier result that stands in for it.
type Output struct {
	Content []byte // JSON; nil where there is none
	Err     error  // the tool's own failure
	Label   string // tells the model that nothing was executed; empty where the tool ran
}

// Text is what the model is shown: the label, then the failure or the content,
// a JSON string without its quotes.
func (o Output) Text() string {
	s := string(o.Content)
	if len(s) > 0 && s[0] == '"' {
		if b, err := jsontext.AppendUnquote(nil, o.Content); err == nil {
			s = string(b)
		}
	}
	if o.Err != nil {
		s = "error: " + o.Err.Error()
	}
	if o.Label == "" {
		return s
	}
	return "[" + o.Label + "]\n" + s
}

// Option says more about a result.
type Option func(*events.Result)

// Changed says whether the tool changed the world.
func Changed(yes bool) Option { return func(r *events.Result) { r.Changed = &yes } }

// Code says by which code the tool failed.
func Code(code string) Option {
	return func(r *events.Result) {
		if r.Error != nil {
			r.Error.Code = code
		}
	}
}

// Retryable says that the failure may go away by itself.
func Retryable() Option {
	return func(r *events.Result) {
		if r.Error != nil {
			r.Error.Retryable = true
		}
	}
}

// Call asks before dispatch and returns within Config.Wait. Without a Replay,
// execute the tool and report its Result; with one, do not execute it and hand
// the Replay to the model: it is reported already. args is what the model
// wrote, as a string or bytes (what is no JSON is reported as raw text), or a
// value that is marshalled. A call after a result opens a new round unless Turn
// did; calls before any result are of one round.
func (r *Run) Call(ctx context.Context, tool string, args any) (*Call, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("call %s: %w", tool, err)
	}
	c := events.Call{Tool: tool}
	var err error
	if c.Args, c.RawArgs, err = arguments(args); err != nil {
		return nil, fmt.Errorf("call %s: arguments: %w", tool, err)
	}
	v, err := r.ask(ctx, events.Event{Kind: events.ToolCall, Call: &c})
	if err != nil {
		return nil, fmt.Errorf("call %s: %w", tool, err)
	}
	out := &Call{ID: c.ID, Tool: tool, Round: v.said.Round, Replay: v.replay, Guarded: v.guarded, began: r.cfg.Now()}
	if out.Replay == nil {
		return out, nil
	}
	res := events.Result{Content: out.Replay.Content, Replayed: true}
	if failed := out.Replay.Err; failed != nil {
		res.Error = &events.Error{Message: failed.Error()}
	}
	if err := r.report(out, res); err != nil {
		return nil, err
	}
	return out, nil
}

// place gives a call its id, unique in the run, and returns its round. The
// caller holds mu, and notes both by counted.
func (r *Run) place(c *events.Call) (round int) {
	round = r.round
	if round == 0 || r.answered {
		round++
	}
	c.ID = "c" + r.mark + strconv.FormatUint(r.calls+1, 10)
	return round
}

// counted notes a call that was said. The caller holds mu.
func (r *Run) counted(round int) {
	r.calls++
	if round > r.round {
		r.round, r.answered = round, false
	}
}

// Result reports what an executed call brought: its content (bytes that are
// JSON as such, other bytes and strings as text, anything else marshalled), or
// the failure. It waits for nothing.
func (r *Run) Result(c *Call, brought any, failed error, opts ...Option) error {
	raw, err := content(brought)
	if err != nil {
		return fmt.Errorf("result of %s: %w", c.Tool, err)
	}
	return r.result(c, raw, failed, opts)
}

func (r *Run) result(c *Call, raw events.RawJSON, failed error, opts []Option) error {
	res := events.Result{Content: raw, DurationMS: max(r.cfg.Now().Sub(c.began).Milliseconds(), 0)}
	if failed != nil {
		res.Error = &events.Error{Message: failed.Error()}
	}
	for _, o := range opts {
		o(&res)
	}
	r.mu.Lock()
	r.results.put(c.ID, kept{content: raw, err: failed, at: r.cfg.Now()})
	r.mu.Unlock()
	return r.report(c, res)
}

func (r *Run) report(c *Call, res events.Result) error {
	res.CallID, res.Tool = c.ID, c.Tool
	r.mu.Lock()
	defer r.mu.Unlock()
	err := r.usable()
	if err == nil {
		_, err = r.say(events.Event{Kind: events.ToolResult, Round: c.Round, Result: &res}, nil)
	}
	if err != nil {
		return fmt.Errorf("result of %s: %w", c.Tool, err)
	}
	r.answered = r.answered || c.Round == r.round
	return nil
}

// Do runs one tool whole: it asks, executes fn unless the earlier result is
// handed back, and reports with the options. The tool's own failure is in the
// Output; the error is the run's, and ends the agent's loop: a *HaltedError,
// ErrOver, ErrBlocked, or ctx's.
func (r *Run) Do(ctx context.Context, tool string, args any, fn func(context.Context) (any, error), opts ...Option) (Output, error) {
	c, err := r.Call(ctx, tool, args)
	if err != nil {
		return Output{}, err
	}
	if c.Replay != nil {
		return *c.Replay, nil
	}
	brought, failed := fn(ctx)
	raw, err := content(brought)
	if err != nil {
		return Output{Err: failed}, fmt.Errorf("result of %s: %w", tool, err)
	}
	return Output{Content: raw, Err: failed}, r.result(c, raw, failed, opts)
}
