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

// ProvisionInTime is Provision for a cluster that may be starting too: as long as
// its servers elect a leader, or do not know each other yet, it is asked again,
// for a minute at most.
func ProvisionInTime(ctx context.Context, js jetstream.JetStream, cfg Config, log *slog.Logger) (partitions int, err error) {
	for end := time.Now().Add(provisionPatience); ; {
		n, err := Provision(ctx, js, cfg)
		if err == nil || !starting(err) || ctx.Err() != nil {
			return n, err
		}
		if time.Now().After(end) {
			return 0, fmt.Errorf("%w: JetStream does not answer for %v: are enough servers up for %d replicas?", err, provisionPatience, cfg.Replicas)
		}
		log.Info("JetStream is not ready yet", "error", err)
		if err := pause(ctx, lastBackoff); err != nil {
			return 0, err
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
