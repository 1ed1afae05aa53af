package worker

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/loopwatch/loopwatch/pkg/events"
)

// smallest is the limit below which fit gives up: it is not size then.
const smallest = 256

// Fit encodes an event so that every processor takes it, as a run does with all
// it reports: texts in it are cut to limit bytes each, and to less where that
// is not enough; a hash keeps what was equal equal and what was different
// different. The event is changed with it. It fails where size is not the
// matter. For what reports events without a Run.
func Fit(e *events.Event, limit int) ([]byte, error) { return fit(e, limit) }

// fit encodes an event so that every processor takes it: each text in it is at
// most limit bytes, and where that is not enough, less. What stays equal or
// different does so after cutting, too: content and text keep a hash of the
// whole, oversized arguments and states become one. Slices and maps of the
// caller are not touched.
func fit(e *events.Event, limit int) (body []byte, err error) {
	for ; ; limit /= 2 {
		shorten(e, limit)
		if body, err = events.Encode(*e); err == nil {
			if _, err = events.Decode(body, events.DefaultLimit); err == nil {
				return body, nil
			}
		}
		if limit < smallest {
			return nil, err
		}
	}
}

// shorten cuts everything in an event to limit bytes each.
func shorten(e *events.Event, limit int) {
	switch {
	case e.Start != nil:
		s := e.Start
		s.Goal, s.Model = text(s.Goal, limit), name(s.Model)
		s.Tools = slices.Clone(s.Tools[:min(len(s.Tools), limit/64)])
		for i := range s.Tools {
			s.Tools[i].Name = name(s.Tools[i].Name)
		}
	case e.Turn != nil:
		t := e.Turn
		t.Text, t.Model, t.StateHash = text(t.Text, limit), name(t.Model), name(t.StateHash)
		t.Asks, t.Known = fields(t.Asks, limit), events.Names(fields(t.Known, limit))
		if len(t.State) > limit {
			t.State, t.StateHash = nil, hashOf(t.State)
		}
	case e.Call != nil:
		c := e.Call
		c.Tool, c.Args, c.RawArgs = name(c.Tool), opaque(c.Args, limit), text(c.RawArgs, limit)
	case e.Result != nil:
		res := e.Result
		res.Tool = name(res.Tool)
		cut(res, limit)
		if x := res.Error; x != nil {
			res.Error = &events.Error{Message: text(x.Message, limit), Code: name(x.Code), Retryable: x.Retryable}
		}
	case e.Message != nil:
		m := e.Message
		m.Role, m.To, m.Text = name(m.Role), name(m.To), text(m.Text, limit)
	case e.End != nil:
		e.End.Reason = text(e.End.Reason, limit)
		if b := e.End.Blocked; b != nil {
			e.End.Blocked = &events.Blocker{Attempted: fields(b.Attempted, limit), Blocker: text(b.Blocker, limit), Needs: text(b.Needs, limit)}
		}
	case e.Ack != nil:
		e.Ack.Detail = text(e.Ack.Detail, limit)
	}
}

// name cuts a name to what an event may carry.
func name(s string) string { return text(s, events.MaxID) }

// text cuts a text and closes it with a hash of the whole, so that different
// texts stay different.
func text(s string, limit int) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) <= limit {
		return s
	}
	tail := "… sha256:" + digest([]byte(s))[:16]
	return head(s, max(limit-len(tail), 0)) + tail
}

// head is the beginning of valid UTF-8 of at most limit bytes.
func head(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit]
}

// fields cuts a list of names to limit bytes together.
func fields(in []string, limit int) []string {
	var out []string
	for _, s := range in {
		s = name(s)
		if limit -= len(s) + 3; limit < 0 {
			break
		}
		out = append(out, s)
	}
	return out
}

// cut shortens content that is too long to send and says so.
func cut(res *events.Result, limit int) {
	if len(res.Content) <= limit {
		return
	}
	if !res.Truncated {
		res.Truncated, res.ContentSHA = true, digest(res.Content)
	}
	s := string(res.Content)
	if unquoted, err := jsontext.AppendUnquote(nil, res.Content); err == nil {
		s = string(unquoted)
	}
	short, err := json.Marshal(head(strings.ToValidUTF8(s, "\uFFFD"), limit))
	if err != nil {
		short = []byte(`""`)
	}
	res.Content = short
}

// opaque replaces what makes arguments too long by its hash: the longest
// top-level values first, everything where they are no object. Equal arguments
// stay equal, different ones different.
func opaque(args events.RawJSON, limit int) events.RawJSON {
	if len(args) <= limit {
		return args
	}
	var members map[string]jsontext.Value
	if err := json.Unmarshal(args, &members); err != nil || len(members) > limit/128 {
		return hashed(args)
	}
	names := make([]string, 0, len(members))
	for n := range members {
		names = append(names, n)
	}
	slices.SortFunc(names, func(a, b string) int {
		if d := len(members[b]) - len(members[a]); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	for _, n := range names {
		members[n] = jsontext.Value(hashed([]byte(members[n])))
		if out, err := json.Marshal(members, json.Deterministic(true)); err == nil && len(out) <= limit {
			return out
		}
	}
	return hashed(args)
}

// hashed is the form in which a value stands that is not sent.
func hashed(v []byte) events.RawJSON { return events.RawJSON(`{"$h":"` + hashOf(v) + `"}`) }

// hashOf is the digest of JSON whatever the order of its members and the white
// space between its tokens. Numbers stay as they are written: no two are
// rounded into one.
func hashOf(v []byte) string {
	c := jsontext.Value(slices.Clone(v))
	if c.Canonicalize(jsontext.CanonicalizeRawInts(false), jsontext.CanonicalizeRawFloats(false)) == nil {
		v = c
	}
	return digest(v)
}

// digest is the SHA-256 in hex.
func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
