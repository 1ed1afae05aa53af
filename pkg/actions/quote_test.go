package actions

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopwatch/loopwatch/pkg/events"
)

func TestQuoteOf(t *testing.T) {
	tests := []struct {
		name string
		e    events.Event
		want Quote
	}{
		{"a call", events.Event{ID: "e1", Round: 2, Call: &events.Call{ID: "c1", Tool: "grep", Args: events.RawJSON(`{"q":"foo"}`)}},
			Quote{ID: "e1", Round: 2, CallID: "c1", Tool: "grep", Args: `{"q":"foo"}`}},
		{"a call whose arguments are no JSON", events.Event{ID: "e1", Call: &events.Call{ID: "c1", Tool: "grep", RawArgs: `{"q":`}},
			Quote{ID: "e1", CallID: "c1", Tool: "grep", Args: `{"q":`}},
		{"a result that is text", events.Event{ID: "e2", Result: &events.Result{CallID: "c1", Tool: "grep", Content: events.RawJSON(`"no \"foo\"\n\u00e9"`)}},
			Quote{ID: "e2", CallID: "c1", Tool: "grep", Result: "no \"foo\"\né"}},
		{"a result that is data", events.Event{ID: "e2", Result: &events.Result{CallID: "c1", Content: events.RawJSON(`["x",1]`)}},
			Quote{ID: "e2", CallID: "c1", Result: `["x",1]`}},
		{"a result with nothing in it", events.Event{ID: "e2", Result: &events.Result{CallID: "c1"}}, Quote{ID: "e2", CallID: "c1"}},
		{"a failure", events.Event{ID: "e2", Result: &events.Result{CallID: "c1", Error: &events.Error{Message: "denied", Code: "403"}}},
			Quote{ID: "e2", CallID: "c1", Error: "denied"}},
		{"a failure that is a code alone", events.Event{ID: "e2", Result: &events.Result{CallID: "c1", Error: &events.Error{Code: "403"}}},
			Quote{ID: "e2", CallID: "c1", Error: "403"}},
		{"a turn", events.Event{ID: "e3", Round: 3, Turn: &events.Turn{Text: "hm", Asks: []string{"sku"}, Known: events.Names{"sku"}}},
			Quote{ID: "e3", Round: 3, Said: "hm", Asks: []string{"sku"}, Known: []string{"sku"}}},
		{"a message", events.Event{ID: "e4", Message: &events.Message{Role: "user", Text: "hello"}}, Quote{ID: "e4", Said: "hello"}},
		{"something else", events.Event{ID: "e5", End: &events.End{Status: events.Done}}, Quote{ID: "e5"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, QuoteOf(&tt.e)); diff != "" {
				t.Errorf("QuoteOf (-want +got):\n%s", diff)
			}
		})
	}
}

func TestWhatCameBack(t *testing.T) {
	tests := []struct {
		name string
		q    Quote
		want string
	}{
		{"text", Quote{ID: "e", Result: "no scans"}, "It came back with «no scans»."},
		{"an empty list", Quote{ID: "e", Result: "[]"}, "It came back with «[]»."},
		{"nothing", Quote{ID: "e"}, "It came back empty."},
		{"an error beside a content", Quote{ID: "e", Result: "partial", Error: "denied"}, "It failed with «denied»."},
		{"not to be had", Quote{}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := cameBack(tt.q); got != tt.want {
				t.Errorf("cameBack = %q, want %q", got, tt.want)
			}
		})
	}
}
