package bench

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"github.com/loopwatch/loopwatch/pkg/events"
)

// Fleet says what is generated: the same Fleet gives the same events.
type Fleet struct {
	Seed   uint64
	Events int     // in all
	Active int     // runs under way at a time
	Short  bool    // runs of one call and its result, and nothing else
	Size   int     // mean bytes of an event
	Loops  float64 // share of runs that repeat a call until their end
}

// Each calls fn for every event in the order of its publication, with its
// subject. The bytes are fn's until it returns.
func (f Fleet) Each(fn func(subject, id string, data []byte) error) error {
	g := f.generator()
	open := make([]*plan, f.Active)
	for n := 0; n < f.Events; {
		i := g.rand.IntN(len(open))
		if open[i] == nil {
			open[i] = g.begin()
		}
		p := open[i]
		e := g.next(p)
		data, err := events.Encode(*e)
		if err != nil {
			return fmt.Errorf("encode generated event: %w", err)
		}
		if err := fn(events.EventSubject(e.Tenant, e.Agent, e.Task, e.Run), e.ID, data); err != nil {
			return err
		}
		if n++; p.left == 0 {
			open[i] = nil
		}
	}
	return nil
}

// One calls fn for the events of one run of that many calls, which never ends
// by itself. They are decoded; fn may keep them.
func (f Fleet) One(calls int, fn func(events.Event) error) error {
	g := f.generator()
	p := g.begin()
	p.left, p.loops = 3*calls+2, false
	for p.left > 1 {
		e := g.next(p)
		e.StreamSeq, e.Stored = uint64(g.ids), e.Time //nolint:gosec // a count
		if err := fn(*e); err != nil {
			return err
		}
	}
	return nil
}

// Of the size of an event, the envelope takes a fixed part; of text, an event
// has so much on average.
const (
	envelope  = 245
	shareLong = 0.59
	shareTwo  = 0.75 // of runs of two events
)

func (f Fleet) generator() generator {
	share := shareLong
	if f.Short {
		share = shareTwo
	}
	return generator{
		f: f, rand: rand.New(rand.NewPCG(f.Seed, 0x6c6f6f70)), now: time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC),
		text: max(40, int(float64(f.Size-envelope)/share)),
	}
}

// plan is a run under way.
type plan struct {
	name, agent string
	left        int // events to come
	seq         uint64
	round       int
	loops       bool
	short       bool
	tool, args  string // of the call without a result
}

type generator struct {
	f    Fleet
	rand *rand.Rand
	now  time.Time
	runs int
	ids  int
	text int // bytes that the texts of an event are made from
}

// begin plans a run. The number of calls is log-normal with the quantiles of
// the recorded runs: 4, 8 and 20 at 10, 50 and 90 %, 188 at most.
func (g *generator) begin() *plan {
	g.runs++
	p := &plan{name: "r" + strconv.Itoa(g.runs), agent: "a" + strconv.Itoa(g.rand.IntN(5)), short: g.f.Short}
	if p.short {
		p.left = 2
		return p
	}
	calls := min(188, max(1, int(math.Round(8*math.Exp(0.65*g.rand.NormFloat64())))))
	p.left = 3*calls + 2
	p.loops = g.rand.Float64() < g.f.Loops
	return p
}

// next makes the run's next event: a start, rounds of turn, call and result,
// and an end.
func (g *generator) next(p *plan) *events.Event {
	g.ids++
	g.now = g.now.Add(time.Millisecond)
	p.seq++
	p.left--
	e := &events.Event{
		V: 1, ID: fmt.Sprintf("%016x%016x", g.rand.Uint64(), g.ids), Tenant: events.DefaultTenant, Agent: p.agent,
		Task: p.name, Run: p.name, Seq: p.seq, Time: g.now, Origin: events.FromAgent,
	}
	step := (p.seq - 2) % 3 // of a round
	if p.short {
		step = p.seq // 1: call, 2: result
	}
	switch {
	case !p.short && p.seq == 1:
		e.Kind, e.Start = events.RunStart, &events.Start{Model: "m-1", Goal: g.words(g.text / 3)}
	case !p.short && p.left == 0:
		e.Kind, e.End = events.RunEnd, &events.End{Status: events.Done}
	case !p.short && step == 0:
		p.round++
		cost := 0.002
		e.Kind, e.Round = events.TurnKind, p.round
		e.Turn = &events.Turn{Text: g.words(g.text / 3), CostUSD: &cost, Usage: &events.Usage{InputTokens: int64(900 * p.round), OutputTokens: 80}}
	case step == 1:
		p.round = max(p.round, 1)
		if p.tool == "" || !p.loops {
			p.tool = [...]string{"search", "read_file", "bash", "track_parcel", "list"}[g.rand.IntN(5)]
			p.args = fmt.Sprintf(`{"path":"src/%s.go","limit":%d,"query":%q}`, g.words(12), g.rand.IntN(400), g.words(g.text/4))
		}
		e.Kind, e.Round, e.Call = events.ToolCall, p.round, &events.Call{ID: "c1", Tool: p.tool, Args: events.RawJSON(p.args)}
	default:
		text := "no matches for this query in any file of the project"
		if !p.loops {
			text = g.lines(g.text * 5 / 4)
		}
		e.Kind, e.Round = events.ToolResult, p.round
		e.Result = &events.Result{CallID: "c1", Tool: p.tool, Content: events.RawJSON(strconv.Quote(text)), DurationMS: 40}
	}
	return e
}

const syllables = "ba be bi bo bu da de di do du fa fe fi fo fu ka ke ki ko ku la le li lo lu ma me mi mo mu na ne ni no nu "

// words are about n bytes of text.
func (g *generator) words(n int) string {
	var b strings.Builder
	for b.Len() < n {
		for range 1 + g.rand.IntN(4) {
			i := g.rand.IntN(len(syllables)/3) * 3
			b.WriteString(syllables[i : i+2])
		}
		b.WriteByte(' ')
	}
	return strings.TrimSpace(b.String())
}

// lines are about n bytes of text in lines, as tools print it.
func (g *generator) lines(n int) string {
	var b strings.Builder
	for b.Len() < n {
		fmt.Fprintf(&b, "%d: %s\n", g.rand.IntN(900), g.words(50))
	}
	return b.String()
}
