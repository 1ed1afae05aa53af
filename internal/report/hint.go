package report

import (
	"strings"
	"unicode"

	"github.com/loopwatch/loopwatch/pkg/actions"
)

// Hints at the kind of defect. Each follows from recorded evidence by one rule;
// the first rule that fits speaks.
const (
	hintRetryable  = "retryable"  // the error reads as if trying again would help
	hintMute       = "mute"       // the error says nothing one can adapt to
	hintCapability = "capability" // what is needed next to this tool is missing
	hintConstraint = "constraint" // no arguments meet what it demands
	hintUnresolved = "unresolved" // it answers without resolving
)

// Hints explains the hints, for people.
var Hints = map[string]string{
	hintRetryable:  "error that reads as retryable",
	hintMute:       "error that says nothing one can adapt to",
	hintCapability: "missing capability next to this tool",
	hintConstraint: "constraint that cannot be met",
	hintUnresolved: "answers without resolving",
}

// hint returns the kind of defect that the evidence points at, and the
// evidence; nothing where no rule fits.
func (c *classSum) hint() (hint, because string) {
	half := (c.Runs + 1) / 2
	switch {
	case c.Kind == other || c.Runs == 0:
		return "", ""
	case c.Kind == "error" && c.retryable >= half:
		return hintRetryable, "in " + runsOf(c.retryable, c.Runs) + " it is marked retryable or asks to try again, and came again"
	case c.Kind == "error" && mute(c.Text):
		return hintMute, "without numbers and set phrases nothing is left of its text"
	case c.blocked > 0 && 2*c.blocked >= c.closed:
		s := runsOf(c.blocked, c.Runs) + " gave up as blocked"
		if c.needs != "" {
			s += ", needing: " + actions.Sanitise(c.needs, maxExcerpt)
		}
		return hintCapability, s
	case c.Kind == "error" && c.adjusted >= half:
		return hintConstraint, "in " + runsOf(c.adjusted, c.Runs) + " two or more different calls met it again, and the tool brought nothing else afterwards"
	case c.Kind == "answer":
		return hintUnresolved, "in " + runsOf(c.Runs, c.Runs) + " it came again with nothing changed in between"
	}
	return "", ""
}

// retryWords are in errors that ask to be tried again.
var retryWords = []string{
	"try again", "retry", "temporar", "timeout", "timed out", "later", "unavailable", "busy", "rate limit",
	"too many requests", "overloaded", "please wait",
}

func asksAgain(text string) bool {
	text = strings.ToLower(text)
	for _, w := range retryWords {
		if strings.Contains(text, w) {
			return true
		}
	}
	return false
}

// setPhrases are words of errors that say nothing of the case.
var setPhrases = func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(`a an the and or of in to for with was is has have not no could cannot can't an error errors err failed
		failure fail fails failing exception internal server exit status code codes invalid request requests bad unknown occurred something went wrong
		null none nil undefined operation command process returned while unexpected traceback most recent call last ok false true message details
		see log logs execution tool`) {
		m[w] = true
	}
	return m
}()

// mute reports whether nothing is left of an error's text without numbers and
// set phrases.
func mute(text string) bool {
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' }) {
		if len(w) > 1 && !setPhrases[w] {
			return false
		}
	}
	return true
}
