package processor

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/loopwatch/loopwatch/internal/natsbus"
)

// A bus that is silent for a while is asked again, what it answers is final.
func TestABusThatIsAwayIsAskedAgain(t *testing.T) {
	away := errors.New("no answer")
	noLeader := &jetstream.APIError{Code: unavailable, ErrorCode: 10008}
	denied := &jetstream.APIError{Code: 404, ErrorCode: jetstream.JSErrCodeStreamNotFound}
	for _, tt := range []struct {
		name    string
		answers []error
		asked   int
		want    error
	}{
		{"it answers", []error{nil}, 1, nil},
		{"it comes back", []error{away, noLeader, context.DeadlineExceeded, nil}, 4, nil},
		{"nothing is there", []error{away, natsbus.ErrNotFound}, 2, natsbus.ErrNotFound},
		{"it refuses", []error{denied}, 1, denied},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				asked := 0
				err := patiently(t.Context(), func(context.Context) error {
					asked++
					return tt.answers[asked-1]
				})
				if !errors.Is(err, tt.want) || asked != tt.asked {
					t.Errorf("%v after %d questions, want %v after %d", err, asked, tt.want, tt.asked)
				}
			})
		})
	}
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		if err := patiently(t.Context(), func(context.Context) error { return away }); !errors.Is(err, away) {
			t.Errorf("a bus that stays away: %v", err)
		}
		if d := time.Since(began); d != readPatience {
			t.Errorf("given up after %s, want %s", d, readPatience)
		}
	})
}
