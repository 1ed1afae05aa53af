package natsbus

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// provisionPatience is how long a cluster may take until it can make streams.
const provisionPatience = time.Minute

// ProvisionInTime is Provision for a cluster that may be starting too: see
// InTime.
func ProvisionInTime(ctx context.Context, js jetstream.JetStream, cfg Config, log *slog.Logger) (partitions int, err error) {
	err = InTime(ctx, log, func() (err error) {
		partitions, err = Provision(ctx, js, cfg)
		return err
	})
	if err != nil && starting(err) && ctx.Err() == nil {
		return 0, fmt.Errorf("%w: are enough servers up for %d replicas?", err, cfg.Replicas)
	}
	return partitions, err
}

// InTime does what asks JetStream, again as long as the servers elect a leader
// or do not know each other yet, for a minute at most.
func InTime(ctx context.Context, log *slog.Logger, do func() error) error {
	for end := time.Now().Add(provisionPatience); ; {
		err := do()
		if err == nil || !starting(err) || ctx.Err() != nil {
			return err
		}
		if time.Now().After(end) {
			return fmt.Errorf("%w: JetStream does not answer for %v", err, provisionPatience)
		}
		log.Info("JetStream is not ready yet", "error", err)
		if err := pause(ctx, lastBackoff); err != nil {
			return err
		}
	}
}

// errCodeNoPeers answers a stream that needs more servers than are known.
const errCodeNoPeers = 10005

// starting says that a server which has just started may answer so.
func starting(err error) bool {
	var api *jetstream.APIError
	if errors.As(err, &api) {
		off := errors.Is(err, jetstream.ErrJetStreamNotEnabled) || errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount)
		return api.Code == 503 && !off || api.ErrorCode == errCodeNoPeers
	}
	for _, fate := range []error{context.DeadlineExceeded, nats.ErrTimeout, nats.ErrNoResponders} {
		if errors.Is(err, fate) {
			return true
		}
	}
	return false
}
