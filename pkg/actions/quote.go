package actions

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/loopwatch/loopwatch/pkg/events"
)

// Quote is the text of one event that a decision names. It is raw: only what
// is sanitised leaves this package. The zero Quote says that the event is not
// to be had.
type Quote struct {
	ID     string // of the event
	Round  int
	CallID string // of a call, or of the call a result answers
	Tool   string
	Args   string   // of a call: its arguments as JSON, or as the model wrote them
	Result string   // of a result: its content, a string without its JSON quotes
	Error  string   // of a failed result
	Asks   []string // of a turn: fields that it asks the user for
	Known  []string // of a turn: fields already held
	Said   string   // of a turn or a message
}

// QuoteOf returns what a decision may quote of an event. It aliases nothing
// but strings.
func QuoteOf(e *events.Event) Quote {
	q := Quote{ID: e.ID, Round: e.Round}
	switch {
	case e.Call != nil:
		q.CallID, q.Tool, q.Args = e.Call.ID, e.Call.Tool, string(e.Call.Args)
		if e.Call.Args == nil {
			q.Args = e.Call.RawArgs
		}
	case e.Result != nil:
		q.CallID, q.Tool, q.Result = e.Result.CallID, e.Result.Tool, plainText(e.Result.Content)
		if x := e.Result.Error; x != nil {
			q.Error = x.Message
			if q.Error == "" {
				q.Error = x.Code
			}
		}
	case e.Turn != nil:
		q.Asks, q.Known, q.Said = e.Turn.Asks, e.Turn.Known, e.Turn.Text
	case e.Message != nil:
		q.Said = e.Message.Text
	}
	return q
}

// plainText returns a JSON string without its quotes, any other value as it is.
func plainText(raw events.RawJSON) string {
	if len(raw) > 0 && raw[0] == '"' {
		if s, err := jsontext.AppendUnquote(nil, []byte(raw)); err == nil {
			return string(s)
		}
	}
	return string(raw)
}
