package worker

import (
	"context"

	"github.com/loopwatch/loopwatch/pkg/actions"
)

// Where the fleet's policy is (contract 3).
const (
	policyBucket = "LW_POLICY"
	policyKey    = "policy"
)

// guardPolicy returns the policy of the guard: the configured one, else the
// fleet's, else the preset; nil where the run has no guard.
func (r *Run) guardPolicy(ctx context.Context) *actions.Policy {
	switch {
	case r.cfg.NoGuard:
		return nil
	case r.cfg.Guard != nil:
		return r.cfg.Guard
	}
	p, err := r.fleetPolicy(ctx)
	if err == nil {
		return p
	}
	r.cfg.Logger.Info("the guard goes by the preset, the fleet's policy is not to be had", "error", err)
	if p, err = actions.Preset(actions.DefaultPreset); err != nil {
		r.cfg.Logger.Error("there is no guard", "error", err)
		return nil
	}
	return p
}

// fleetPolicy reads the policy that was pushed.
func (r *Run) fleetPolicy(ctx context.Context) (*actions.Policy, error) {
	if !r.cfg.Conn.IsConnected() {
		return nil, context.DeadlineExceeded
	}
	kv, err := r.js.KeyValue(ctx, policyBucket)
	if err != nil {
		return nil, err
	}
	e, err := kv.Get(ctx, policyKey)
	if err != nil {
		return nil, err
	}
	return actions.Parse(e.Value())
}
