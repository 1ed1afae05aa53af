package processor

import (
	"context"
	"errors"
	"testing"
	"time"
)

// A processor that is told to stop in the moment in which a wait runs out stops
// as it would at any other; what went wrong with a stream is not lost to a wait
// that has run out.
func TestWhatEndsAWait(t *testing.T) {
	live := t.Context()
	stopped, cancel := context.WithCancel(live)
	cancel()
	over, cancel := context.WithDeadline(live, time.Unix(0, 0))
	defer cancel()
	broken := errors.New("the stream is another one")
	for _, tt := range []struct {
		name string
		ctx  context.Context
		err  error
		want error
	}{
		{"messages", live, nil, nil},
		{"the bound", live, context.DeadlineExceeded, nil},
		{"a stop", stopped, context.Canceled, context.Canceled},
		{"the bound, and a stop behind it", stopped, context.DeadlineExceeded, context.Canceled},
		{"the end of the caller's own time", over, context.DeadlineExceeded, context.DeadlineExceeded},
		{"a fault", live, broken, broken},
		{"a fault, and a stop behind it", stopped, broken, broken},
	} {
		if got := waited(tt.ctx, tt.err); !errors.Is(got, tt.want) || (got == nil) != (tt.want == nil) {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}
