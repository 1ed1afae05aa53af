// Package escalate tells people: it follows the decision logs and turns every
// acted escalation that a trusted key signed into an alert for Alertmanager and
// a signed webhook.
//
// It owns what was read and what is open, in a bucket of the bus. It decides
// nothing about runs, and a receiver that is away holds up only what is to be
// said to it. Each escalation is said at least once, always under the id of its
// control.
//
// Start at Service.Run.
package escalate
