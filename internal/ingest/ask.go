package ingest

import (
	"time"

	"github.com/loopwatch/loopwatch/pkg/events"
)

// ask tells a call as the model wrote it; at is where its name should stand.
func (r *run) ask(id, tool string, written value, at where, when time.Time) error {
	if tool == "" {
		return flaw{at, "want the name of a tool, got none"}
	}
	c := events.Call{ID: id, Tool: tool}
	c.Args, c.RawArgs = arguments(written)
	return r.call(c, when)
}

// failure is an error that says what the content does.
func failure(content events.RawJSON) *events.Error {
	text, _ := texts(value(content))
	if text == "" {
		text = string(content)
	}
	return &events.Error{Message: text}
}
