package worker

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/loopwatch/loopwatch/pkg/events"
)

// Content says how much of what a run does leaves the worker. The tools, the
// model and the results that are handed back never see a difference.
type Content int

const (
	ContentRedacted Content = iota // texts, with a keyed digest in place of each secret that is recognised
	ContentHash                    // no text at all: each top-level argument, each content and each text is a keyed hash
	ContentRaw                     // texts as they are
)

// hidden reports whether content is not what the tool gave.
func hidden(content []byte) bool {
	return bytes.Contains(content, []byte(marked)) || bytes.HasPrefix(content, []byte(`{"$h":`))
}

// leastKey is the shortest key of hashes in bytes: they would be guessed.
const leastKey = 16

// hide keeps from the bus what must not leave the worker.
func (r *Run) hide(e *events.Event) {
	switch r.cfg.Content {
	case ContentRedacted:
		shorten(e, mostRedacted)
		r.redactor.event(e)
	case ContentHash:
		Hide(e, r.cfg.HashKey)
	case ContentRaw:
	}
}

// mostRedacted bounds what is searched for secrets, in bytes of a text: what
// comes behind is cut first. It is far more than is ever sent.
const mostRedacted = 1 << 20

// Hide takes all text out of an event, as a run with ContentHash does: each
// top-level argument and the content become {"$h":"…"}, the HMAC-SHA256 of
// their canonical JSON in hex, and every other text is that of its JSON string.
// Names stay: of tools, models, fields, error codes. What was equal stays
// equal under one key. It changes e and what it points to, but no slice or map
// of the caller's.
func Hide(e *events.Event, key []byte) {
	h := hider{key}
	switch {
	case e.Start != nil:
		e.Start.Goal = h.text(e.Start.Goal)
	case e.Turn != nil:
		e.Turn.Text = h.text(e.Turn.Text)
		if e.Turn.State != nil {
			e.Turn.State, e.Turn.StateHash = nil, h.sum(e.Turn.State)
		}
	case e.Call != nil:
		e.Call.Args, e.Call.RawArgs = h.args(e.Call.Args), h.text(e.Call.RawArgs)
	case e.Result != nil:
		if e.Result.Content != nil && !e.Result.Truncated {
			e.Result.Content = h.json(e.Result.Content)
		} else if e.Result.Content != nil {
			e.Result.Content = h.json(quote(e.Result.ContentSHA)) // of the whole
		}
		if f := e.Result.Error; f != nil {
			e.Result.Error = &events.Error{Message: h.text(f.Message), Code: f.Code, Retryable: f.Retryable}
		}
	case e.Message != nil:
		e.Message.Text = h.text(e.Message.Text)
	case e.End != nil:
		e.End.Reason = h.text(e.End.Reason)
		if b := e.End.Blocked; b != nil {
			tried := slices.Clone(b.Attempted)
			for i := range tried {
				tried[i] = h.text(tried[i])
			}
			e.End.Blocked = &events.Blocker{Attempted: tried, Blocker: h.text(b.Blocker), Needs: h.text(b.Needs)}
		}
	}
}

// hider hashes with a tenant's key.
type hider struct{ key []byte }

// sum is the hash of a JSON value whatever the order of its members and the
// white space between its tokens; numbers stay as they are written.
func (h hider) sum(v []byte) string {
	c := jsontext.Value(slices.Clone(v))
	if c.Canonicalize(jsontext.CanonicalizeRawInts(false), jsontext.CanonicalizeRawFloats(false), jsontext.AllowDuplicateNames(true)) == nil {
		v = c
	}
	m := hmac.New(sha256.New, h.key)
	m.Write(v)
	return hex.EncodeToString(m.Sum(nil))
}

func (h hider) json(v []byte) events.RawJSON { return events.RawJSON(`{"$h":"` + h.sum(v) + `"}`) }

// text is the hash of a text; none stays none.
func (h hider) text(s string) string {
	if s == "" {
		return ""
	}
	return "$h:" + h.sum(quote(s))
}

// args hashes each top-level argument, and the whole where they are no object.
func (h hider) args(raw events.RawJSON) events.RawJSON {
	if raw == nil {
		return nil
	}
	var members map[string]jsontext.Value
	if jsontext.Value(raw).Kind() != '{' || json.Unmarshal(raw, &members) != nil {
		return h.json(raw)
	}
	for n, v := range members {
		members[n] = jsontext.Value(h.json(v))
	}
	out, err := json.Marshal(members, json.Deterministic(true))
	if err != nil {
		return h.json(raw)
	}
	return out
}
