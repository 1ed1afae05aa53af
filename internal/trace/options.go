package trace

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/loopwatch/loopwatch/pkg/events"
)

// options are the words in brackets at the end of a result or an error.
type options []string

// optionNames are the words that make a bracket options rather than text.
var optionNames = map[string]bool{
	"changed": true, "unchanged": true, "replayed": true, "truncated": true, "retryable": true,
	"call": true, "code": true, "sha": true, "ms": true, "timeout": true,
}

// valued are those that have a value.
var valued = map[string]bool{"call": true, "code": true, "sha": true, "ms": true, "timeout": true}

// cutOptions separates a text from the options at its end. A bracket with any
// other word in it is text.
func cutOptions(text string) (string, options) {
	i := strings.LastIndexByte(text, '[')
	if i < 0 || !strings.HasSuffix(text, "]") || i > 0 && text[i-1] != ' ' {
		return text, nil
	}
	words := strings.Fields(text[i+1 : len(text)-1])
	for _, w := range words {
		if name, _, _ := strings.Cut(w, "="); !optionNames[name] {
			return text, nil
		}
	}
	if len(words) == 0 {
		return text, nil
	}
	return strings.TrimSpace(text[:i]), words
}

// apply sets the options on a result and returns the call that it answers,
// empty for the oldest open one.
func (o options) apply(r *events.Result) (call string, err error) {
	for _, w := range o {
		name, value, has := strings.Cut(w, "=")
		if needs := valued[name]; needs != has || has && value == "" {
			return "", fmt.Errorf("option %s: a value where none belongs, or none where one does", name)
		}
		switch name {
		case "timeout":
			return "", errors.New("option timeout: only a call has one")
		case "changed", "unchanged":
			yes := name == "changed"
			r.Changed = &yes
		case "replayed":
			r.Replayed = true
		case "truncated":
			r.Truncated = true
		case "call":
			call = value
		case "sha":
			r.ContentSHA = value
		case "ms":
			if r.DurationMS, err = strconv.ParseInt(value, 10, 64); err != nil {
				return "", fmt.Errorf("option ms: %q is no number", value)
			}
		default: // code, retryable
			if r.Error == nil {
				return "", fmt.Errorf("option %s: only an error has one", name)
			}
			if name == "code" {
				r.Error.Code = value
			} else {
				r.Error.Retryable = true
			}
		}
	}
	return call, nil
}

// timeout sets the one option that a call has.
func (o options) timeout(c *events.Call) error {
	for _, w := range o {
		name, value, _ := strings.Cut(w, "=")
		d, err := time.ParseDuration(value)
		if name != "timeout" || err != nil || d <= 0 {
			return fmt.Errorf("option %s: a call has timeout=30s and no other", w)
		}
		c.TimeoutMS = d.Milliseconds()
	}
	return nil
}
