package propgen

import (
	"fmt"
	"time"

	"pgregory.net/rapid"

	"github.com/loopwatch/loopwatch/pkg/events"
)

// Declared are the tools that every run of a story declares. Their names hint
// at another effect, or at none; none hints at a shell, a wait or polling.
var Declared = []events.Tool{
	{Name: "send_parcel", Effect: events.EffectRead}, {Name: "get_order", Effect: events.EffectWrite},
	{Name: "zorp", Effect: events.EffectRead}, {Name: "frob", Effect: events.EffectWrite},
}

// Undeclared are tools that runs of a story call and nobody declared.
var Undeclared = []string{"bash", "ask_expert", "get_status", "sleep"}

var (
	storyArgs    = []string{"", `{}`, `{"n":1}`, `{"n":2}`, `{"command":"ls -la"}`, `{"path":"src/a.go","text":"one\ntwo"}`}
	storyAnswers = []string{
		`"ok"`, `"ok"`, `{"orders":[]}`, `"no matches in the whole of the tree, not one of them, wherever one looks"`, `{"state":"queued","place":4}`,
		`"alpha line of some length\nbeta line of some length\ngamma line of some length\ndelta line"`, `"not found"`,
	}
	storyTexts = []string{
		"", "let me look at it once more", "thank you and goodbye, it was a pleasure to work on this with you today",
		"first I read the file, then I change the test, then I run it and see whether it passes",
	}
)

// Stories draws two tasks with up to three runs each, as their workers tell
// them: every run starts, rounds grow, most calls are answered, seqs have no gap.
// Short bodies are told again and again, so that detectors have much to say.
// Times are a second apart or more, places in the stream count from 1.
func Stories(t *rapid.T) []events.Event { return draw(t, append(names(Declared), Undeclared...)) }

// DeclaredStories are Stories whose runs call declared tools alone.
func DeclaredStories(t *rapid.T) []events.Event { return draw(t, names(Declared)) }

func names(tools []events.Tool) (out []string) {
	for _, tool := range tools {
		out = append(out, tool.Name)
	}
	return out
}

func draw(t *rapid.T, tools []string) []events.Event {
	s := &teller{t: t, tools: tools, now: Begin, runs: map[string]*storyRun{}}
	for range rapid.IntRange(1, 8).Draw(t, "passages") {
		s.passage()
	}
	return s.out
}

// teller writes the events of a story.
type teller struct {
	t     *rapid.T
	tools []string
	now   time.Time
	runs  map[string]*storyRun
	out   []events.Event
}

type storyRun struct {
	task, run, parent string
	seq               uint64
	round             int
	over              bool
}

// passage tells one body of a run once or several times in a row.
func (s *teller) passage() {
	r := s.run(pick(s.t, "run", "t1/a", "t1/a", "t1/b", "t1/c", "t2/a", "t2/d"))
	n := rapid.IntRange(1, 3).Draw(s.t, "steps")
	body := make([]func(), n)
	for i := range body {
		body[i] = s.step(r)
	}
	for range pick(s.t, "times", 1, 1, 2, 3, 6, 10) {
		for _, tell := range body {
			tell()
		}
	}
}

// run opens the run where it is not open.
func (s *teller) run(name string) *storyRun {
	r := s.runs[name]
	if r == nil {
		r = &storyRun{task: name[:2], run: name[3:]}
		if r.run == "b" {
			r.parent = "a"
		}
		s.runs[name] = r
		r.over = true
	}
	if r.over {
		r.over = false
		s.tell(r, events.Event{Kind: events.RunStart, Start: &events.Start{Tools: Declared}})
	}
	return r
}

// step draws one step of a run; it is told whenever it is called.
func (s *teller) step(r *storyRun) func() {
	switch pick(s.t, "step", "round", "round", "round", "round", "round", "turn", "message", "wait", "end") {
	case "turn":
		turn := events.Turn{Text: pick(s.t, "text", storyTexts...), StateHash: pick(s.t, "state", "", "x", "y")}
		return func() {
			r.round++
			s.tell(r, events.Event{Kind: events.TurnKind, Round: r.round, Turn: &turn})
		}
	case "message":
		m := events.Message{Role: pick(s.t, "role", "user", "assistant"), To: pick(s.t, "to", "", "a", "b"), Text: pick(s.t, "said", storyTexts...)}
		if m.To == r.run {
			m.To = ""
		}
		return func() { s.tell(r, events.Event{Kind: events.Said, Message: &m}) }
	case "wait":
		d := pick(s.t, "wait", 30*time.Second, 10*time.Minute)
		return func() { s.now = s.now.Add(d) }
	case "end":
		return func() {
			s.tell(r, events.Event{Kind: events.RunEnd, End: &events.End{Status: events.Done}})
			s.tell(r, events.Event{Kind: events.RunStart, Start: &events.Start{Tools: Declared}})
		}
	}
	return s.round(r)
}

// round is a turn with one to three parallel calls and their results.
func (s *teller) round(r *storyRun) func() {
	type pair struct {
		call   events.Call
		result events.Result
	}
	pairs := make([]pair, pick(s.t, "parallel", 1, 1, 1, 2, 3))
	for i := range pairs {
		tool := pick(s.t, "tool", s.tools...)
		pairs[i].call = events.Call{Tool: tool, Args: raw(pick(s.t, "args", storyArgs...))}
		if chance(s.t, 12) {
			pairs[i].call.Args, pairs[i].call.RawArgs = nil, `{"n":`
		}
		res := events.Result{Tool: pick(s.t, "named", "", tool), Content: raw(pick(s.t, "answer", storyAnswers...))}
		switch pick(s.t, "outcome", "ok", "ok", "ok", "ok", "error", "weather", "changed", "unchanged", "lost") {
		case "lost":
			res.CallID = "lost"
			pairs[i].call.TimeoutMS = pick(s.t, "timeout", int64(0), 5000)
		case "error":
			res.Content, res.Error = nil, &events.Error{Message: "no such thing as number 7", Code: pick(s.t, "code", "", "E1")}
		case "weather":
			res.Content, res.Error = nil, &events.Error{Message: "503 Service Unavailable", Retryable: true}
		case "changed":
			yes := true
			res.Changed = &yes
		case "unchanged":
			no := false
			res.Changed = &no
		}
		pairs[i].result = res
	}
	drift := chance(s.t, 3) // each telling brings another answer
	return func() {
		r.round++
		for i, p := range pairs {
			c := p.call
			c.ID = fmt.Sprintf("c%d-%d", r.round, i)
			s.tell(r, events.Event{Kind: events.ToolCall, Round: r.round, Call: &c})
		}
		for i, p := range pairs {
			res := p.result
			if res.CallID == "lost" {
				continue
			}
			res.CallID = fmt.Sprintf("c%d-%d", r.round, i)
			if drift && res.Error == nil {
				res.Content = events.RawJSON(fmt.Sprintf(`{"progress":%d}`, r.seq))
			}
			s.tell(r, events.Event{Kind: events.ToolResult, Round: r.round, Result: &res})
		}
	}
}

// tell completes an event and adds it.
func (s *teller) tell(r *storyRun, e events.Event) {
	r.seq++
	s.now = s.now.Add(time.Second)
	e.V, e.Tenant, e.Agent, e.Task, e.Run, e.Parent, e.Seq = events.Version, "default", "agent", r.task, r.run, r.parent, r.seq
	e.Time, e.Stored, e.StreamSeq = s.now, s.now, uint64(len(s.out)+1)
	e.ID = fmt.Sprintf("%s-%s-%d", r.task, r.run, r.seq)
	s.out = append(s.out, e)
}
