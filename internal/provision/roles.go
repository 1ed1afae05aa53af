package provision

import (
	"strconv"

	"github.com/loopwatch/loopwatch/pkg/events"
)

// user is one role as the server knows it.
type user struct {
	name      string   // of its seed and context
	inbox     string   // prefix of its inboxes, its own
	publish   []string // allowed
	forbidden []string // not to be published all the same
	subscribe []string // allowed, beside its inboxes
	answers   bool     // may answer who asks it
}

// policyGet is the one question to JetStream that workers may ask: the fleet's
// policy, for the guard.
const policyGet = "$JS.API.DIRECT.GET.KV_LW_POLICY.$KV.LW_POLICY.policy"

// reads are the questions that change nothing and whose answer is one message:
// what it is sent to as a reply is no event.
var reads = []string{
	"$JS.API.INFO", "$JS.API.STREAM.NAMES", "$JS.API.STREAM.INFO.*", "$JS.API.STREAM.MSG.GET.*", "$JS.API.DIRECT.GET.>",
}

// consumers read streams in order. Whoever may make one can have stored
// messages sent anywhere in the account, so it is a right of those alone who
// are trusted with the account.
var consumers = []string{"$JS.API.CONSUMER.CREATE.>", "$JS.API.CONSUMER.DELETE.*.*", "$JS.API.CONSUMER.MSG.NEXT.*.*"}

// anyEvent is a worker's event on every partition; ours are the reserved ones.
const (
	anyEvent = "lw.evp.*.*.*"
	ours     = "lw.evp.*._lw.>"
)

// staff are the users of the account with the streams.
func staff() []user {
	return []user{
		{
			name: "processor", inbox: "_INBOX_processor", answers: true,
			publish: join(reads, consumers, []string{
				"lw.>", "$KV.LW_META.>", "$KV.LW_OWNERS.>", "$KV.LW_ESCALATIONS.>", "$JS.FC.>",
				"$JS.API.STREAM.LIST", "$JS.API.STREAM.CREATE.*", "$JS.API.STREAM.UPDATE.KV_LW_OWNERS", "$JS.API.CONSUMER.INFO.*.*",
			}),
			subscribe: []string{"lw.q.>", "$SRV.>", "lw.ctl.>", "lw.vd.>"},
		},
		{
			name: "gateway", inbox: "_INBOX_gateway",
			publish:   join(reads, consumers, []string{anyEvent, "lw.q.>"}),
			forbidden: []string{"lw.evp.*._lw.tick", "lw.evp.*._lw.policy"}, // it signs operators' acts itself
			subscribe: []string{"lw.ctl.>", "lw.vd.>"},
		},
		{
			name: "operator", inbox: "_INBOX_operator",
			publish: join(reads, consumers, []string{
				anyEvent, "lw.q.>", "$SRV.>", "$KV.LW_POLICY.policy", "$KV.LW_HALTS.>", "$JS.FC.>", "$JS.API.CONSUMER.INFO.*.*",
			}),
			forbidden: []string{ours},
			subscribe: []string{"lw.ctl.>"},
		},
		{
			name: "viewer", inbox: "_INBOX_viewer",
			publish: join(reads, []string{"lw.q.runs", "lw.q.run", "lw.q.status", "lw.q.halts", "$SRV.PING", "$SRV.PING.>", "$SRV.INFO", "$SRV.INFO.>"}),
		},
	}
}

// worker is whoever speaks for the runs of one agent.
func worker(tenant, agent string) user {
	return user{
		name: "worker." + tenant + "." + agent, inbox: "_INBOX_" + agent,
		publish:   []string{events.EventSubject(tenant, agent, "*", "*"), policyGet},
		subscribe: []string{events.ControlSubject(tenant, agent, "*"), events.VerdictSubject(tenant, agent, "*", "*")},
	}
}

// workers is the name of a tenant's account.
func workers(tenant string) string { return "WORKERS_" + tenant }

// users lists every user of a note, staff first.
func (n note) users() []user {
	out := staff()
	for _, t := range n.Tenants {
		for _, a := range n.Agents {
			out = append(out, worker(t, a))
		}
	}
	return out
}

func join(lists ...[]string) (out []string) {
	for _, l := range lists {
		out = append(out, l...)
	}
	return out
}

// streams is how many streams a bus of this size may have: events, decisions
// and state of each partition, dead letters and the buckets.
func (n note) streams() string { return strconv.Itoa(3*n.Partitions + 16) }
