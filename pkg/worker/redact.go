package worker

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/loopwatch/loopwatch/pkg/events"
)

// redactor takes the secrets out of what is reported. In place of each stands a
// short keyed digest: what was equal stays equal, so that a loop stays visible.
type redactor struct {
	key  []byte
	more []string // further names whose values are secrets, as plainName has them
}

// processKey is the key of digests where none is configured: equal within this
// process only.
var processKey = sync.OnceValue(func() []byte {
	b := make([]byte, 32)
	_, _ = rand.Read(b) // never fails
	return b
})

func newRedactor(c *Config) *redactor {
	x := &redactor{key: c.HashKey}
	if len(x.key) == 0 {
		x.key = processKey()
	}
	for _, n := range c.Secrets {
		x.more = append(x.more, plainName(n))
	}
	return x
}

// mark is what stands for a secret: [redacted:3f9a0c11be42].
func (x *redactor) mark(secret string) string {
	h := hmac.New(sha256.New, x.key)
	h.Write([]byte("loopwatch-redact-v1\x00"))
	h.Write([]byte(secret))
	return "[redacted:" + hex.EncodeToString(h.Sum(nil)[:6]) + "]"
}

// event redacts every text in an event. It changes e and what it points to, but
// no slice or map of the caller's.
func (x *redactor) event(e *events.Event) {
	switch {
	case e.Start != nil:
		e.Start.Goal = x.text(e.Start.Goal)
	case e.Turn != nil:
		e.Turn.Text, e.Turn.State = x.text(e.Turn.Text), x.json(e.Turn.State)
		e.Turn.Asks, e.Turn.Known = x.texts(e.Turn.Asks), events.Names(x.texts(e.Turn.Known))
	case e.Call != nil:
		e.Call.Args, e.Call.RawArgs = x.json(e.Call.Args), x.text(e.Call.RawArgs)
	case e.Result != nil:
		e.Result.Content = x.json(e.Result.Content)
		if f := e.Result.Error; f != nil {
			e.Result.Error = &events.Error{Message: x.text(f.Message), Code: x.text(f.Code), Retryable: f.Retryable}
		}
	case e.Message != nil:
		e.Message.Text = x.text(e.Message.Text)
	case e.End != nil:
		e.End.Reason = x.text(e.End.Reason)
		if b := e.End.Blocked; b != nil {
			e.End.Blocked = &events.Blocker{Attempted: x.texts(b.Attempted), Blocker: x.text(b.Blocker), Needs: x.text(b.Needs)}
		}
	case e.Ack != nil:
		e.Ack.Detail = x.text(e.Ack.Detail)
	}
}

func (x *redactor) texts(in []string) []string {
	out := slices.Clone(in)
	for i := range out {
		out[i] = x.text(out[i])
	}
	return out
}

// json redacts a JSON value: what stands under the name of a secret, and what
// has the shape of one anywhere. Everything else stays as it is written.
func (x *redactor) json(raw events.RawJSON) events.RawJSON {
	if len(raw) == 0 {
		return raw
	}
	w := walk{x: x, raw: raw, dec: jsontext.NewDecoder(strings.NewReader(string(raw)), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))}
	for {
		more, err := w.step()
		if err != nil { // nothing that cannot be read is sent
			return quote(x.mark(string(raw)))
		}
		if !more {
			return w.result()
		}
	}
}

// quote is a text as JSON.
func quote(s string) events.RawJSON {
	b, err := jsontext.AppendQuote(nil, strings.ToValidUTF8(s, "\uFFFD"))
	if err != nil {
		return events.RawJSON(`""`)
	}
	return b
}

// walk goes through one JSON value and notes what changes.
type walk struct {
	x      *redactor
	raw    []byte
	dec    *jsontext.Decoder
	out    []byte
	copied int64 // of raw
	secret bool  // the value to come stands under the name of a secret
	inside int   // depth of the value under such a name, 0 outside
}

func (w *walk) step() (more bool, err error) {
	switch kind := w.dec.PeekKind(); kind {
	case '{', '[':
		if _, err := w.dec.ReadToken(); err != nil {
			return false, err
		}
		if w.secret && w.inside == 0 {
			w.inside = w.dec.StackDepth()
		}
		w.secret = false
	case '}', ']':
		if w.inside == w.dec.StackDepth() {
			w.inside = 0
		}
		if _, err := w.dec.ReadToken(); err != nil {
			return false, err
		}
	default:
		if err := w.leaf(); err != nil {
			return false, err
		}
	}
	return w.dec.StackDepth() > 0, nil
}

// leaf looks at a name or a value without members.
func (w *walk) leaf() error {
	kind, n := w.dec.StackIndex(w.dec.StackDepth())
	name := kind == '{' && n%2 == 0
	v, err := w.dec.ReadValue()
	if err != nil {
		return err
	}
	end := w.dec.InputOffset()
	text := string(v)
	if v.Kind() == '"' {
		b, err := jsontext.AppendUnquote(nil, v)
		if err != nil {
			return err
		}
		text = string(b)
	}
	clean := text
	switch under := w.secret || w.inside > 0; {
	case name:
		clean = w.x.text(text)
		w.secret = secretName(text, w.x.more)
	case v.Kind() == '"' && under && text != "", v.Kind() == '0' && under:
		clean = w.x.mark(text)
	case v.Kind() == '"':
		clean = w.x.text(text)
	}
	if !name {
		w.secret = false
	}
	if clean != text {
		w.out = append(append(w.out, w.raw[w.copied:end-int64(len(v))]...), quote(clean)...)
		w.copied = end
	}
	return nil
}

func (w *walk) result() events.RawJSON {
	if w.copied == 0 {
		return w.raw
	}
	return append(w.out, w.raw[w.copied:]...)
}

// Redact takes the secrets out of every text of an event, as a worker does
// before it reports. In place of each stands a digest under key: equal secrets
// stay equal. It changes e and what it points to, but no slice or map.
func Redact(e *events.Event, key []byte) { (&redactor{key: key}).event(e) }

// RedactText is Redact for a text of its own.
func RedactText(s string, key []byte) string { return (&redactor{key: key}).text(s) }
