package eval

import (
	"bufio"
	"fmt"
	"io"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/loopwatch/loopwatch/internal/replay"
	"github.com/loopwatch/loopwatch/pkg/actions"
	"github.com/loopwatch/loopwatch/pkg/events"
)

// Case is a scenario with what a good supervisor does, or with what another
// detector does under its own parameters.
type Case struct {
	Name   string           `json:"case"`
	Title  string           `json:"title"`
	Until  time.Time        `json:"until,omitzero"` // to which time passes after the last event
	Events []jsontext.Value `json:"events"`
	Expect *struct {
		Fire bool  `json:"fire"`
		Halt *bool `json:"halt"` // nil where it does not matter
	} `json:"expect"`
	Peer *struct {
		Expected string `json:"expected"` // none, or a kind
		Action   string `json:"action"`
	} `json:"peer"`
}

// Outcome is how a policy did on a case.
type Outcome struct {
	Case  string   `json:"case"`
	Title string   `json:"title"`
	Right bool     `json:"right"`
	Did   []string `json:"did"` // detector:kind of what was acted
}

// Cases replays every case of a file under a policy.
func Cases(policy *actions.Policy, in io.Reader, name string) ([]Outcome, error) {
	var out []Outcome
	s := bufio.NewScanner(in)
	s.Buffer(nil, 64<<20)
	for n := 1; s.Scan(); n++ {
		var c Case
		if err := json.Unmarshal(s.Bytes(), &c); err != nil {
			return nil, fmt.Errorf("read cases %s:%d: %w", name, n, err)
		}
		if c.Name == "" || len(c.Events) == 0 {
			return nil, fmt.Errorf("read cases %s:%d: want a case with a name and events", name, n)
		}
		o, err := run(policy, &c)
		if err != nil {
			return nil, fmt.Errorf("run case %s of %s:%d: %w", c.Name, name, n, err)
		}
		out = append(out, o)
	}
	if err := s.Err(); err != nil {
		return nil, fmt.Errorf("read cases %s: %w", name, err)
	}
	return out, nil
}

func run(policy *actions.Policy, c *Case) (Outcome, error) {
	o := Outcome{Case: c.Name, Title: c.Title, Did: []string{}}
	halted := false
	r, err := replay.New(replay.Options{Policy: policy, Until: c.Until}, func(l replay.Line) error {
		if l.Reason == actions.Acted {
			o.Did = append(o.Did, l.Detector+":"+string(l.Kind))
			halted = halted || l.Kind == actions.HaltRun
		}
		return nil
	})
	if err != nil {
		return o, err
	}
	defer func() { _ = r.Close() }()
	for i, raw := range c.Events {
		e, err := events.Decode(raw, 0)
		if err != nil {
			return o, fmt.Errorf("event %d: %w", i+1, err)
		}
		if err := r.Feed(e, raw); err != nil {
			return o, err
		}
	}
	if err := r.Finish(); err != nil {
		return o, err
	}
	o.Right = c.right(len(o.Did) > 0, halted)
	return o, nil
}

// right judges by what the case expects; of a peer, only that its none is not
// halted and its halt at least hinted.
func (c *Case) right(fired, halted bool) bool {
	switch {
	case c.Expect != nil:
		return fired == c.Expect.Fire && (c.Expect.Halt == nil || halted == *c.Expect.Halt)
	case c.Peer != nil && c.Peer.Expected == "none":
		return !halted
	case c.Peer != nil && c.Peer.Action == "halt":
		return fired
	}
	return true
}
