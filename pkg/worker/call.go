package worker

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
)

// Call is one tool call the run was asked about.
type Call struct {
	ID       string
	Tool     string
	Round    int
	Decision actions.Ruling // allow or replay; a halt is an error
	Content  []byte         // of a replay: the earlier result as JSON
	Label    string         // of a replay: tells the model that nothing was executed
	Guarded  bool           // the guard decided, no answer came in time
}

// Option says more about a result.
type Option func(*events.Result)

// Changed says whether the tool changed the world.
func Changed(yes bool) Option { return func(r *events.Result) { r.Changed = &yes } }

// Retryable says that the error may go away by itself.
func Retryable() Option {
	return func(r *events.Result) {
		if r.Error != nil {
			r.Error.Retryable = true
		}
	}
}

// Call asks before dispatch. args is marshalled to JSON; a string that is not
// valid JSON arguments belongs into RawArgs. With allow, execute the tool and
// report Result; with replay, do not execute it and hand Content to the model:
// it is reported already. A call after a result opens a new round unless Turn
// did; calls before any result are of one round.
func (r *Run) Call(ctx context.Context, tool string, args any) (*Call, error) {
	raw, err := json.Marshal(args, json.Deterministic(true))
	if err != nil {
		return nil, fmt.Errorf("encode arguments of %s: %w", tool, err)
	}
	return r.call(ctx, events.Call{Tool: tool, Args: raw})
}

// RawCall asks like Call for a call whose arguments the model wrote so that
// they cannot be parsed.
func (r *Run) RawCall(ctx context.Context, tool, text string) (*Call, error) {
	return r.call(ctx, events.Call{Tool: tool, RawArgs: text})
}

func (r *Run) call(ctx context.Context, c events.Call) (*Call, error) {
	r.mu.Lock()
	if r.round == 0 || r.answered {
		r.round, r.answered = r.round+1, false
	}
	r.calls++
	c.ID = "c" + strconv.Itoa(r.calls)
	round := r.round
	r.mu.Unlock()
	v, err := r.ask(ctx, events.Event{Kind: events.ToolCall, Round: round, Call: &c})
	if err != nil {
		return nil, err
	}
	out := &Call{ID: c.ID, Tool: c.Tool, Round: round, Decision: v.Decision, Guarded: v.guarded}
	if v.Decision != actions.ReplayCall || v.Replay == nil {
		out.Decision = actions.Allow
		return out, nil
	}
	out.Content, out.Label = v.Replay.Content, v.Replay.Label
	if own, ok := r.cached(v.Replay.OfCallID); ok {
		out.Content = own
	}
	return out, r.report(out, events.Result{Content: out.Content, Replayed: true})
}

// Result reports what an executed call brought: its content, marshalled to
// JSON, or the error it failed with.
func (r *Run) Result(_ context.Context, c *Call, content any, failed error, opts ...Option) error {
	raw, err := json.Marshal(content, json.Deterministic(true))
	if err != nil {
		return fmt.Errorf("encode result of %s: %w", c.Tool, err)
	}
	res := events.Result{Content: raw}
	if content == nil {
		res.Content = nil
	}
	if failed != nil {
		res.Error = &events.Error{Message: failed.Error()}
	}
	for _, o := range opts {
		o(&res)
	}
	return r.report(c, res)
}

func (r *Run) report(c *Call, res events.Result) error {
	res.CallID, res.Tool = c.ID, c.Tool
	r.mu.Lock()
	defer r.mu.Unlock()
	if !res.Replayed {
		r.results.put(c.ID, res.Content)
	}
	cut(&res, r.cfg.MaxContent)
	if err := r.usable(); err != nil {
		return err
	}
	r.answered = r.answered || c.Round == r.round
	_, err := r.say(events.Event{Kind: events.ToolResult, Round: c.Round, Result: &res}, nil)
	return err
}

// Do runs one tool whole: it asks, executes fn unless the earlier result is
// handed back, and reports. It returns what goes to the model, as JSON.
func (r *Run) Do(ctx context.Context, tool string, args any, fn func(context.Context) (any, error)) ([]byte, error) {
	c, err := r.Call(ctx, tool, args)
	if err != nil {
		return nil, err
	}
	if c.Decision == actions.ReplayCall {
		return c.Content, nil
	}
	content, failed := fn(ctx)
	if err := r.Result(ctx, c, content, failed); err != nil {
		return nil, err
	}
	if failed != nil {
		return nil, failed
	}
	return json.Marshal(content, json.Deterministic(true))
}

// cut shortens content that is too long to send and says so.
func cut(res *events.Result, limit int) {
	if len(res.Content) <= limit {
		return
	}
	sum := sha256.Sum256(res.Content)
	text := string(res.Content)
	if text[0] == '"' {
		_ = json.Unmarshal(res.Content, &text) // it was marshalled above
	}
	text = text[:min(limit, len(text))]
	for !utf8.ValidString(text) {
		text = text[:len(text)-1]
	}
	short, err := json.Marshal(text)
	if err != nil {
		short = []byte(`""`)
	}
	res.Content, res.Truncated, res.ContentSHA = short, true, hex.EncodeToString(sum[:])
}

// ruling is a verdict and who gave it.
type ruling struct {
	actions.Verdict
	guarded bool
}

// ask says an event that is a question and waits for the answer: the bus's
// within Config.Wait, else the guard's.
func (r *Run) ask(ctx context.Context, e events.Event) (ruling, error) {
	token, err := events.NewID(r.cfg.Now(), rand.Reader)
	if err != nil {
		return ruling{}, fmt.Errorf("name check: %w", err)
	}
	answer := make(chan actions.Verdict, 1)
	r.mu.Lock()
	if err := r.usable(); err != nil {
		r.mu.Unlock()
		return ruling{}, err
	}
	r.waiting[token] = answer
	deadline := r.cfg.Now().Add(r.cfg.Wait)
	said, err := r.say(e, &events.Check{Token: token, Deadline: deadline})
	own := r.guard.opinion()
	r.mu.Unlock()
	defer func() {
		r.mu.Lock()
		delete(r.waiting, token)
		r.mu.Unlock()
	}()
	if err != nil {
		return ruling{}, err
	}
	wait, cancel := context.WithTimeout(ctx, r.cfg.Wait)
	defer cancel()
	select {
	case v := <-answer:
		return r.heed(said, own, v)
	case <-r.stopped:
		return ruling{}, r.halted
	case <-wait.Done():
	}
	if err := ctx.Err(); err != nil {
		return ruling{}, fmt.Errorf("wait for a verdict: %w", err)
	}
	return r.decide(said, own)
}
