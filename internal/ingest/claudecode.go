package ingest

import (
	"errors"
	"strings"
	"time"

	"github.com/loopwatch/loopwatch/pkg/events"
)

// claudeCode reads session logs: one line a record. A response stands on as
// many lines as it has blocks, with one message id; they are one round. Side
// chains are runs of their own, with the session's run as parent.
type claudeCode struct {
	*teller
	threads map[*run]*thread
	waiting []*thread       // with a response in hand, the oldest first
	chains  map[string]*run // side chain of a line's uuid
}

// thread is what a run of a session is in the middle of.
type thread struct {
	run     *run
	held    *held // the response that more lines may belong to
	told    string
	compact bool // the context was compacted since the last round
}

// held is a response whose lines are still coming.
type held struct {
	id    string
	turn  events.Turn
	text  []string
	calls []heldCall
	when  time.Time
}

type heldCall struct {
	part part
	at   where
}

type sessionLine struct {
	Type        string `json:"type"`
	Subtype     string `json:"subtype"`
	UUID        string `json:"uuid"`
	ParentUUID  string `json:"parentUuid"`
	SessionID   string `json:"sessionId"`
	AgentID     string `json:"agentId"`
	Timestamp   value  `json:"timestamp"`
	IsSidechain bool   `json:"isSidechain"`
	IsMeta      bool   `json:"isMeta"`
	IsSummary   bool   `json:"isCompactSummary"`
	IsAPIError  bool   `json:"isApiErrorMessage"`
	RequestID   string `json:"requestId"`
	Message     value  `json:"message"`
	Outcome     value  `json:"toolUseResult"`
}

func newClaudeCode(t *teller) *claudeCode {
	return &claudeCode{teller: t, threads: map[*run]*thread{}, chains: map[string]*run{}}
}

func (c *claudeCode) take(r record) error {
	if r.kind == begin || r.kind == end {
		return nil
	}
	var l sessionLine
	if err := decode(r.raw, &l, r.at); err != nil {
		return err
	}
	switch l.Type {
	case "assistant", "user":
		return c.said(&l, r.at)
	case "system":
		if l.Subtype == "compact_boundary" {
			th := c.thread(&l)
			err := c.flush()
			th.compact = true
			return err
		}
	case "":
		return flaw{r.at.in("type"), "want user, assistant, system, summary or another type of line, got none"}
	}
	return nil // titles, snapshots, progress: nothing that the model did
}

func (c *claudeCode) finish() {
	if err := c.flush(); err != nil {
		c.flawed(where{}, err)
	}
}

// flush tells the responses in hand: who speaks now may answer any of them.
func (c *claudeCode) flush() error {
	faults := make([]error, len(c.waiting))
	for i, th := range c.waiting {
		faults[i] = th.flush()
	}
	c.waiting = c.waiting[:0]
	return errors.Join(faults...)
}

// thread finds the run that a line belongs to.
func (c *claudeCode) thread(l *sessionLine) *thread {
	session := l.SessionID
	if session == "" {
		session = c.source
	}
	r := c.run(session)
	if l.IsSidechain {
		r = c.chain(l, r)
	}
	th := c.threads[r]
	if th == nil {
		th = &thread{run: r}
		c.threads[r] = th
	}
	return th
}

// chain finds a side chain: by the agent's id, by the line it goes on from, or
// else it begins here.
func (c *claudeCode) chain(l *sessionLine, parent *run) *run {
	r := c.chains[l.ParentUUID]
	switch {
	case l.AgentID != "":
		r = c.child(strings.Join([]string{l.SessionID, l.AgentID}, "/"), parent)
	case r == nil && l.UUID == "":
		r = c.child(l.SessionID+"/sidechain", parent)
	case r == nil:
		r = c.child(strings.Join([]string{l.SessionID, l.UUID}, "/"), parent)
	}
	if l.UUID != "" {
		c.chains[l.UUID] = r
	}
	return r
}

// said tells a line of the user or the model.
func (c *claudeCode) said(l *sessionLine, at where) error {
	var m anthropicMessage
	if !present(l.Message) {
		return flaw{at.in("message"), "want an object, got none"}
	}
	if err := decode(l.Message, &m, at.in("message")); err != nil {
		return err
	}
	th, when, place := c.thread(l), instant(l.Timestamp), at.in("message.content")
	if l.Type == "assistant" {
		if l.IsAPIError || m.Model == "<synthetic>" {
			return nil // the client speaking for a model that did not answer
		}
		idle := th.held == nil
		err := th.answer(l, &m, place, when)
		if idle && th.held != nil {
			c.waiting = append(c.waiting, th)
		}
		return err
	}
	flushed := c.flush()
	switch text, _ := texts(m.Content); {
	case l.IsSummary:
		th.compact = true
		return errors.Join(flushed, th.run.hear("system", text, when))
	case l.IsMeta:
		return errors.Join(flushed, th.run.hear("system", text, when))
	case l.IsSidechain && th.run.round == 0:
		th.run.first.Goal = text
	}
	return errors.Join(flushed, th.user(l, m.Content, place, when))
}

// user tells the results a user line brings, with how long they took, and its
// words.
func (th *thread) user(l *sessionLine, said value, at where, when time.Time) error {
	var outcome struct {
		DurationMS      float64 `json:"durationMs"`
		TotalDurationMS float64 `json:"totalDurationMs"`
	}
	if l.Outcome.Kind() == '{' {
		_ = decode(l.Outcome, &outcome, at) // whatever the tool wrote there
	}
	parts, err := split(said, at)
	faults := []error{err}
	for i, p := range parts {
		if p.Type == "tool_result" {
			faults = append(faults, answer(th.run, p, at.item(i), when, count(max(outcome.DurationMS, outcome.TotalDurationMS))))
		}
	}
	text, _ := texts(said)
	return errors.Join(append(faults, th.run.hear("user", text, when))...)
}
