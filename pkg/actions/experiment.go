package actions

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"strconv"

	"github.com/loopwatch/loopwatch/pkg/state"
)

// Holdout is the group of tasks that is left without help, so that what the
// interventions do can be told from what would have happened anyway.
type Holdout struct {
	Share     float64  // of tasks, 0 to 1
	Detectors []string // that only log in those tasks; empty for all that may
}

// Variant is one of the two wordings of an observation.
type Variant string

const (
	VariantA     Variant = "a"     // says what happened, then what remains
	VariantB     Variant = "b"     // says what is known, then asks what is missing
	VariantSplit Variant = "split" // half of the tasks each
)

// Domains of the two hashes over tenant and task: who is in the holdout says
// nothing about the wording.
const (
	holdoutDomain = "loopwatch-holdout-v1"
	variantDomain = "loopwatch-variant-v1"
)

// mayHold reports whether a detector can be held out: a budget is a promise
// and never part of a comparison. Operators' acts are no findings.
func mayHold(detector string) bool { return detector != budgetDetector }

// Holds reports whether the detector only logs in the task of a run.
func (p *Policy) Holds(task state.TaskID, detector string) bool {
	h := &p.Holdout
	return h.Share > 0 && mayHold(detector) && (len(h.Detectors) == 0 || slices.Contains(h.Detectors, detector)) &&
		lot(holdoutDomain, task) < h.Share
}

// Wording returns the wording of the observations of a task: a or b.
func (p *Policy) Wording(task state.TaskID) Variant {
	switch {
	case p.Observation == VariantB:
		return VariantB
	case p.Observation == VariantSplit && lot(variantDomain, task) >= 0.5:
		return VariantB
	}
	return VariantA
}

// lot draws a number from 0 up to 1 that is the same for a task everywhere and
// always: the first 53 bits of SHA-256 over the domain, tenant and task, each
// behind its length in decimal digits and a colon.
func lot(domain string, task state.TaskID) float64 {
	h := sha256.New()
	for _, s := range []string{domain, task.Tenant, task.Task} {
		h.Write([]byte(strconv.Itoa(len(s)) + ":" + s))
	}
	return float64(binary.BigEndian.Uint64(h.Sum(nil))>>11) / (1 << 53)
}
