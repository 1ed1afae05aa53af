package actions

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"

	"github.com/loopwatch/loopwatch/pkg/state"
)

// first returns the first evidence event of a finding.
func (f *Found) first() state.Ref {
	if len(f.Evidence.Events) > 0 {
		return f.Evidence.Events[0]
	}
	return state.Ref{}
}

// IncidentID is the same for the same cause on every instance and in every
// replay.
func IncidentID(run state.RunID, detector string, first state.Ref) string {
	return "inc_" + shortHash("incident", run.Tenant, run.Task, run.Run, detector, first.ID.String())
}

// ControlID is the same for the same cause on every instance and in every
// replay: a worker acts once per id.
func ControlID(target state.RunID, k Kind, detector, incident string, rung int) string {
	return "ctl_" + shortHash("control", target.Tenant, target.Task, target.Run, string(k), detector, incident, strconv.Itoa(rung))
}

// shortHash is the first 20 hex digits of SHA-256 over length-prefixed parts.
func shortHash(parts ...string) string {
	h := sha256.New()
	for _, s := range parts {
		h.Write([]byte(strconv.Itoa(len(s)) + ":" + s))
	}
	return hex.EncodeToString(h.Sum(nil))[:20]
}
