package events

// Kind says what an event reports.
type Kind string

// The first seven kinds come from workers; the last three are ours and travel
// on reserved subjects that no worker may publish to.
const (
	RunStart   Kind = "run_start"
	TurnKind   Kind = "turn"
	ToolCall   Kind = "tool_call"
	ToolResult Kind = "tool_result"
	Said       Kind = "message"
	RunEnd     Kind = "run_end"
	ControlAck Kind = "control_ack"

	Tick         Kind = "tick"
	OperatorAct  Kind = "operator"
	PolicyChange Kind = "policy"
)

// Ours reports whether the kind is published by loopwatch itself, never by a worker.
func (k Kind) Ours() bool { return k == Tick || k == OperatorAct || k == PolicyChange }

// Known reports whether the contract names the kind.
func (k Kind) Known() bool {
	switch k {
	case RunStart, TurnKind, ToolCall, ToolResult, Said, RunEnd, ControlAck, Tick, OperatorAct, PolicyChange:
		return true
	}
	return false
}

// InRound reports whether events of the kind carry the round they belong to.
func (k Kind) InRound() bool { return k == TurnKind || k == ToolCall || k == ToolResult }

// Origin says who caused an event; the zero value means the agent.
type Origin string

const (
	FromAgent     Origin = "agent"
	FromLoopwatch Origin = "loopwatch" // injected by us: never counted as evidence
)
