package natsbus

import (
	"fmt"
	"strconv"
)

// Names of what is not per partition.
const (
	DeadLetterStream = "LW_DLQ"    // lw.dlq.<p>.<stream sequence>
	MetaBucket       = "LW_META"   // what the bus was created with
	PolicyBucket     = "LW_POLICY" // the policy that was pushed
	HaltsBucket      = "LW_HALTS"  // halts by scope

	partitionsKey = "partitions" // in MetaBucket: the partition count, decimal
)

// Headers that a Msg keeps.
const (
	CheckHeader = "Lw-Check"    // <token>,<deadline RFC 3339>: the event is a question
	IDHeader    = "Nats-Msg-Id" // the event's id, as its publisher said
)

// publicEvents is where workers publish: tenant, agent, task, run.
const publicEvents = "lw.ev.*.*.*.*"

// mappedEvents is where a server puts what comes on publicEvents: the partition
// of tenant and task, then tenant and agent.
func mappedEvents(partitions int) string {
	return fmt.Sprintf("lw.evp.{{partition(%d,1,3)}}.{{wildcard(1)}}.{{wildcard(2)}}", partitions)
}

// EventStream names the stream that holds the events of partition p.
func EventStream(p int) string { return fmt.Sprintf("LW_EV_%02d", p) }

// LogStream names the stream that holds the decision log of partition p.
func LogStream(p int) string { return fmt.Sprintf("LW_CTL_%02d", p) }

// OwnSubject is where loopwatch publishes its own events of a kind (tick,
// operator, policy) on partition p; no worker may publish there.
func OwnSubject(p int, kind string) string {
	return "lw.evp." + strconv.Itoa(p) + "._lw." + kind
}

// EpochSubject is where owners of partition p write their epoch records.
func EpochSubject(p int) string { return "lw.decp." + strconv.Itoa(p) + "._lw.epoch" }

func eventSubjects(p int) []string { return []string{fmt.Sprintf("lw.evp.%d.>", p)} }

func logSubjects(p int) []string {
	return []string{fmt.Sprintf("lw.ctlp.%d.>", p), fmt.Sprintf("lw.decp.%d.>", p)}
}

func deadLetterSubject(p int, seq uint64) string { return fmt.Sprintf("lw.dlq.%d.%d", p, seq) }
