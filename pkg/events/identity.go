package events

import (
	"strconv"
	"strings"
)

// Place is what the subject of a stored event says about it.
type Place struct {
	Partition     int
	Tenant, Agent string // empty on a reserved subject
	Kind          Kind   // set on a reserved subject only
}

// ParsePartitionSubject reads a subject as PartitionSubject and ReservedSubject
// write it. It reports false for any other.
func ParsePartitionSubject(subject string) (Place, bool) {
	rest, ok := strings.CutPrefix(subject, "lw.evp.")
	if !ok {
		return Place{}, false
	}
	number, rest, _ := strings.Cut(rest, ".")
	p, ok := parsePartition(number)
	if !ok {
		return Place{}, false
	}
	tenant, agent, ok := strings.Cut(rest, ".")
	if !ok {
		return Place{}, false
	}
	if tenant == ours {
		kind, ok := kindOf(agent)
		return Place{Partition: p, Kind: kind}, ok && kind.Ours()
	}
	return Place{Partition: p, Tenant: tenant, Agent: agent}, ValidName(tenant) && ValidName(agent)
}

// parsePartition reads a number as strconv.Itoa writes it.
func parsePartition(s string) (int, bool) {
	if len(s) > 1 && s[0] == '0' || strings.Trim(s, "0123456789") != "" {
		return 0, false
	}
	p, err := strconv.Atoi(s)
	return p, err == nil && p < MaxPartitions
}

// CheckIdentity returns nil where the event may stand at the place it was
// found: our kinds on their reserved subjects, workers' kinds under their own
// tenant and agent and in the partition of their task. Who signed an
// operator's act is not its business.
func CheckIdentity(e Event, at Place, partitions int) *Reject {
	if at.Partition >= max(partitions, 1) {
		return reject(ReasonPartition, "", "the subject names partition "+strconv.Itoa(at.Partition)+" of "+strconv.Itoa(partitions))
	}
	switch {
	case at.Kind != "" && e.Kind != at.Kind:
		return reject(ReasonIdentity, "kind", "not the one of the subject")
	case at.Kind != "":
		return nil
	case e.Kind.Ours():
		return reject(ReasonReservedKind, "kind", "no worker may publish it")
	case e.Tenant != at.Tenant:
		return reject(ReasonIdentity, "tenant", "not the one of the subject")
	case e.Agent != at.Agent:
		return reject(ReasonIdentity, "agent", "not the one of the subject")
	}
	if own := Partition(e.Tenant, e.Task, partitions); own != at.Partition {
		return reject(ReasonPartition, "task", "belongs to partition "+strconv.Itoa(own)+", stored in "+strconv.Itoa(at.Partition))
	}
	return nil
}
