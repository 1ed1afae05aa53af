package features

import (
	"bytes"
	"unicode/utf8"
)

// Answer is a tool result as it arrived.
type Answer struct {
	Tool      string
	Content   []byte // raw JSON, or nil
	Truncated bool   // Content was cut; SHA identifies the whole
	SHA       string
	Failed    bool // an error is present, whatever its message
	Message   string
	Code      string
	Retryable bool
	Echoes    []Hash // Call.Echoes of the call it answers; nil where unknown
}

// Result is what a tool result says.
type Result struct {
	Hash     Hash   // content and error message with volatile parts masked: equal answers have equal hashes
	Exact    Hash   // the same unmasked
	Error    bool   // an error is present, or the text reads as one
	Class    Hash   // of the error with identifiers, numbers, quotes, paths, times and echoes of arguments folded away; 0 unless Error
	Negative bool   // short and says no, nothing, empty or error
	Empty    bool   // says nothing: white space, zeros or an empty value
	Short    bool   // under 60 characters: an acknowledgement at most
	Infra    bool   // the infrastructure speaks: rate limit, unavailable, time-out, connection lost. Never evidence
	Failing  Hash   // of the lines that name failing checks; 0 under 60 characters of them
	Headline bool   // those lines come to fewer than 120 characters
	Lines    []Hash // distinct masked lines of at least 12 characters; the first 400
	Passages []Hash // 8-word passages of the first 600 words, distinct, thinned by Rules.Thin
	Chars    int    // length of the content's text
}

// Bounds under which a text can be an answer of a kind, in characters.
const (
	maxAck      = 60
	maxNegative = 400
	maxInfra    = 400
	maxError    = 3000
)

// Result returns the features of one result.
func (x *Extractor) Result(a Answer) Result {
	if h, ok := opaque(a.Content); ok {
		return x.opaqueResult(a, h)
	}
	volatile := x.rules.Tools[a.Tool].Volatile
	x.text = stripTags(x.flat.appendTo(x.text[:0], a.Content, nil))
	x.message = stripTags(append(x.message[:0], a.Message...))
	text, message := x.text, x.message

	r := Result{Chars: utf8.RuneCount(text), Error: a.Failed}
	sha := ""
	if a.Truncated && !a.Failed {
		sha = a.SHA
	}
	r.Exact = x.resultHash(domainExact, text, message, sha)
	x.maskResult(a, volatile)
	r.Hash = x.resultHash(domainResult, x.masked, x.maskedMessage, sha)

	said := text
	if len(bytes.TrimSpace(message)) > 0 {
		said = message
	}
	body := text
	if r.Chars == 0 {
		body = message
	}
	r.Empty = saysNothing(body)
	r.Short = utf8.RuneCount(bytes.TrimSpace(body)) < maxAck
	r.Error = r.Error || r.Chars < maxError && readsAsError(firstRunes(text, 200))
	r.Negative = a.Failed || r.Chars < maxNegative && (r.Empty || saysNo(text))
	r.Infra = a.Retryable || a.Failed && infraCode(a.Code) ||
		r.Chars < maxInfra && x.infrastructure(firstRunes(said, 300))
	if r.Error {
		x.out = x.errorClass(x.out[:0], said, a.Echoes)
		r.Class = x.sum(domainClass, x.out)
	}
	x.out = x.failing(x.out[:0], text)
	if len(x.out) >= minFailing {
		r.Failing, r.Headline = x.sum(domainFailing, x.out), len(x.out) < longFailing
	}
	r.Lines = x.lines(x.masked)
	x.readWords(text[:min(len(text), maxRead)])
	r.Passages = x.passages()
	return r
}

// maskResult masks text and message of the result. Where the tool has volatile
// fields, the content is flattened again without their values.
func (x *Extractor) maskResult(a Answer, volatile []string) {
	text := x.text
	if len(volatile) > 0 {
		x.out = stripTags(x.flat.appendTo(x.out[:0], a.Content, volatile))
		text = x.out
	}
	head := text[:min(len(text), maxMasked)]
	x.masked = mask(x.masked[:0], head, volatile)
	x.masked = append(x.masked, text[len(head):]...)
	x.maskedMessage = mask(x.maskedMessage[:0], x.message, volatile)
}

func (x *Extractor) resultHash(d domain, text, message []byte, sha string) Hash {
	b := append(appendLen(x.exact[:0], len(text)), text...)
	b = append(appendLen(b, len(message)), message...)
	x.exact = append(b, sha...)
	return x.sum(d, x.exact)
}

// opaqueResult is all that can be told of content that was not sent: whether it
// is equal to another, and what the error says.
func (x *Extractor) opaqueResult(a Answer, content []byte) Result {
	known := a
	known.Content = nil
	r := x.Result(known)
	r.Empty, r.Short, r.Negative = false, false, a.Failed
	r.Exact = x.resultHash(domainExact, content, x.message, a.SHA)
	r.Hash = x.resultHash(domainResult, content, x.maskedMessage, a.SHA)
	return r
}

// firstRunes returns the first n characters of text.
func firstRunes(text []byte, n int) []byte {
	if len(text) <= n {
		return text
	}
	i := 0
	for ; n > 0 && i < len(text); n-- {
		_, size := utf8.DecodeRune(text[i:])
		i += size
	}
	return text[:i]
}

// shellTags are tags that wrap the output of shell tools; each counts as a blank.
var shellTags = [...]string{"<returncode>", "</returncode>", "<output>", "</output>"}

// stripTags replaces the tags around shell output by blanks, in place.
func stripTags(text []byte) []byte {
	w := 0
	for i := 0; i < len(text); {
		next := bytes.IndexByte(text[i:], '<')
		if next < 0 {
			next = len(text) - i
		}
		w += copy(text[w:], text[i:i+next])
		if i += next; i == len(text) {
			break
		}
		size, b := 1, byte('<')
		for _, tag := range shellTags {
			if bytes.HasPrefix(text[i:], []byte(tag)) {
				size, b = len(tag), ' '
			}
		}
		text[w] = b
		w++
		i += size
	}
	return text[:w]
}
