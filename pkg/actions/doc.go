// Package actions owns what is done about a finding: the policy, the ladder of
// an incident, the named reason of every decision, the text of observations
// and escalations, and the control messages with their signature.
//
// It decides, it does not act: it has no bus, no clock and no store. Start at
// Policy.Decide.
package actions
