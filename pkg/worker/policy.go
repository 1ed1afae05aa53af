package worker

import (
	"context"
	"fmt"

	"github.com/loopwatch/loopwatch/pkg/actions"
)

// policySubject asks for the newest value of key policy in bucket LW_POLICY
// (contract 3).
const policySubject = "$JS.API.DIRECT.GET.KV_LW_POLICY.$KV.LW_POLICY.policy"

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

// fleetPolicy reads the policy that was pushed, by the one question that a
// worker's permissions let it ask JetStream.
func (r *Run) fleetPolicy(ctx context.Context) (*actions.Policy, error) {
	if !r.cfg.Conn.IsConnected() {
		return nil, context.DeadlineExceeded
	}
	m, err := r.cfg.Conn.RequestWithContext(ctx, policySubject, nil)
	if err != nil {
		return nil, fmt.Errorf("ask for the policy: %w", err)
	}
	status, operation := m.Header.Get("Status"), m.Header.Get("KV-Operation")
	if status != "" || operation != "" {
		return nil, fmt.Errorf("no policy was pushed (%s%s)", status, operation)
	}
	return actions.Parse(m.Data)
}
