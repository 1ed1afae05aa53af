package events

import (
	"fmt"
	"strconv"
)

// PublishFilter is every subject that a worker publishes to; a server maps it
// to what PartitionMapping returns.
const PublishFilter = "lw.ev.*.*.*.*"

// DeadLetterStream holds the references of rejected events of all partitions.
const DeadLetterStream = "LW_DLQ"

// ours is the place of the tenant in subjects that no worker may publish to.
const ours = "_lw"

// EventSubject is where a worker publishes an event of its run.
func EventSubject(tenant, agent, task, run string) string {
	return "lw.ev." + tenant + "." + agent + "." + task + "." + run
}

// PartitionMapping is the destination that a server maps PublishFilter to.
func PartitionMapping(partitions int) string {
	return "lw.evp.{{partition(" + strconv.Itoa(partitions) + ",1,3)}}.{{wildcard(1)}}.{{wildcard(2)}}"
}

// PartitionSubject is where the event stream of partition p stores an event.
func PartitionSubject(p int, tenant, agent string) string {
	return "lw.evp." + strconv.Itoa(p) + "." + tenant + "." + agent
}

// PartitionFilter is everything that the event stream of partition p stores.
func PartitionFilter(p int) string { return "lw.evp." + strconv.Itoa(p) + ".>" }

// ReservedSubject is where one of our own kinds is published to partition p.
func ReservedSubject(p int, kind Kind) string { return PartitionSubject(p, ours, string(kind)) }

// ControlSubject is where a worker listens for the controls of its run.
func ControlSubject(tenant, agent, run string) string {
	return "lw.ctl." + tenant + "." + agent + "." + run
}

// VerdictSubject is where the answer to one check is published.
func VerdictSubject(tenant, agent, run, token string) string {
	return "lw.vd." + tenant + "." + agent + "." + run + "." + token
}

// ControlLogSubject is where partition p stores an acted control of a run.
func ControlLogSubject(p int, tenant, agent, run string) string {
	return "lw.ctlp." + strconv.Itoa(p) + "." + tenant + "." + agent + "." + run
}

// WithheldSubject is where partition p stores a withheld decision of a run.
func WithheldSubject(p int, tenant, agent, run string) string {
	return "lw.decp." + strconv.Itoa(p) + "." + tenant + "." + agent + "." + run
}

// EpochSubject is where partition p stores the records by which its owners
// fence each other.
func EpochSubject(p int) string { return "lw.decp." + strconv.Itoa(p) + "." + ours + ".epoch" }

// ControlLogFilters are everything that the decision log of partition p
// stores: acted controls first, then what is never re-published.
func ControlLogFilters(p int) [2]string {
	n := strconv.Itoa(p)
	return [2]string{"lw.ctlp." + n + ".>", "lw.decp." + n + ".>"}
}

// DeadLetterSubject is where the rejected event at a stream sequence of
// partition p is recorded.
func DeadLetterSubject(p int, seq uint64) string {
	return "lw.dlq." + strconv.Itoa(p) + "." + strconv.FormatUint(seq, 10)
}

// EventStream is the stream that holds the events of partition p: LW_EV_00.
func EventStream(p int) string { return fmt.Sprintf("LW_EV_%02d", p) }

// ControlStream is the decision log of partition p: LW_CTL_00.
func ControlStream(p int) string { return fmt.Sprintf("LW_CTL_%02d", p) }

// StateStream holds the compacted state of partition p: LW_ST_00.
func StateStream(p int) string { return fmt.Sprintf("LW_ST_%02d", p) }
