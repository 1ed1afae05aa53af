package natsbus

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

func TestStarting(t *testing.T) {
	for _, c := range []struct {
		name string
		err  error
		want bool
	}{
		{"no leader yet", context.DeadlineExceeded, true},
		{"no API yet", nats.ErrNoResponders, true},
		{"not all servers yet", &jetstream.APIError{Code: 400, ErrorCode: errCodeNoPeers}, true},
		{"JetStream recovers", &jetstream.APIError{Code: 503, ErrorCode: 10008}, true},
		{"a setting is wrong", &jetstream.APIError{Code: 400, ErrorCode: 10052}, false},
		{"promises are broken", Faults{{Stream: "LW_EV_00"}}, false},
		{"no JetStream", jetstream.ErrJetStreamNotEnabled, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := starting(fmt.Errorf("provision: %w", c.err)); got != c.want {
				t.Errorf("starting: %v, want %v", got, c.want)
			}
		})
	}
}

// What will not change by waiting is said at once, and nobody is waited for
// longer than the caller wants.
func TestProvisionInTime(t *testing.T) {
	f := newFixture(t, 2)
	cfg := f.config
	if n, err := ProvisionInTime(testContext(t), f.js, cfg, slog.New(slog.DiscardHandler)); n != 2 || err != nil {
		t.Errorf("a bus that is there: %d, %v", n, err)
	}
	cfg.Replicas = 3
	var faults Faults
	if _, err := ProvisionInTime(testContext(t), f.js, cfg, slog.New(slog.DiscardHandler)); !errors.As(err, &faults) {
		t.Errorf("too few replicas: %v", err)
	}
	f.srv.Shutdown()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := ProvisionInTime(ctx, f.js, cfg, slog.New(slog.DiscardHandler)); !errors.Is(err, context.Canceled) {
		t.Errorf("without a server and without time: %v", err)
	}
}
