package worker_test

import (
	"strings"
	"testing"

	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/worker"
)

// What leaves a fleet as a case is as clean as what its workers report, and
// equal secrets stay equal under one key only.
func TestACaseIsRedactedAsReportsAre(t *testing.T) {
	const secret = "AKIAIOSFODNN7EXAMPLE"
	key, other := []byte("0123456789abcdef"), []byte("fedcba9876543210")
	event := func(key []byte) string {
		e := events.Event{Kind: events.ToolCall, Call: &events.Call{ID: "c", Tool: "aws", Args: events.RawJSON(`{"access_key":"` + secret + `","region":"eu"}`)}}
		worker.Redact(&e, key)
		return string(e.Call.Args)
	}
	got := event(key)
	if strings.Contains(got, secret) || !strings.Contains(got, `"region":"eu"`) {
		t.Errorf("arguments: %s", got)
	}
	if got != event(key) || got == event(other) {
		t.Error("a digest is not of its key and the secret alone")
	}
	if said := worker.RedactText("it was called with "+secret, key); strings.Contains(said, secret) || !strings.HasPrefix(said, "it was called with ") {
		t.Errorf("text: %s", said)
	}
}
