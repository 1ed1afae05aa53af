package events_test

import (
	"testing"

	"github.com/loopwatch/loopwatch/pkg/events"
)

func TestParsePartitionSubject(t *testing.T) {
	tests := []struct {
		name, subject string
		want          events.Place
		ok            bool
	}{
		{"a worker's", "lw.evp.3.shop.support", events.Place{Partition: 3, Tenant: "shop", Agent: "support"}, true},
		{"a tick", "lw.evp.0._lw.tick", events.Place{Kind: events.Tick}, true},
		{"an operator's", "lw.evp.15._lw.operator", events.Place{Partition: 15, Kind: events.OperatorAct}, true},
		{"a policy", "lw.evp.999._lw.policy", events.Place{Partition: 999, Kind: events.PolicyChange}, true},
		{"a worker's kind on a reserved subject", "lw.evp.3._lw.turn", events.Place{}, false},
		{"no kind on a reserved subject", "lw.evp.3._lw.", events.Place{}, false},
		{"another reserved tenant", "lw.evp.3._x.support", events.Place{}, false},
		{"as published", "lw.ev.shop.support.t.r", events.Place{}, false},
		{"a control's", "lw.ctlp.3.shop.support.r", events.Place{}, false},
		{"empty", "", events.Place{}, false},
		{"prefix only", "lw.evp.", events.Place{}, false},
		{"no agent", "lw.evp.3.shop", events.Place{}, false},
		{"empty agent", "lw.evp.3.shop.", events.Place{}, false},
		{"too many tokens", "lw.evp.3.shop.support.r", events.Place{}, false},
		{"partition with a zero in front", "lw.evp.03.shop.support", events.Place{}, false},
		{"signed partition", "lw.evp.+3.shop.support", events.Place{}, false},
		{"negative partition", "lw.evp.-3.shop.support", events.Place{}, false},
		{"partition as a word", "lw.evp.x.shop.support", events.Place{}, false},
		{"no partition", "lw.evp..shop.support", events.Place{}, false},
		{"huge partition", "lw.evp.1000.shop.support", events.Place{}, false},
		{"partition past 64 bits", "lw.evp.99999999999999999999.shop.support", events.Place{}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := events.ParsePartitionSubject(tt.subject)
			if ok != tt.ok || ok && got != tt.want {
				t.Errorf("got %+v %v, want %+v %v", got, ok, tt.want, tt.ok)
			}
		})
	}
}

func TestCheckIdentity(t *testing.T) {
	const partitions = 16
	own := events.Partition("shop", "t1", partitions)
	call := events.Event{Kind: events.ToolCall, Tenant: "shop", Agent: "support", Task: "t1", Run: "r1"}
	at := events.Place{Partition: own, Tenant: "shop", Agent: "support"}
	reserved := func(kind events.Kind) events.Place { return events.Place{Partition: own, Kind: kind} }
	tests := []struct {
		name  string
		e     events.Event
		at    events.Place
		want  events.Reason
		field string
	}{
		{"its own place", call, at, "", ""},
		{"a tick on its subject", events.Event{Kind: events.Tick}, reserved(events.Tick), "", ""},
		{"a policy on its subject", events.Event{Kind: events.PolicyChange}, reserved(events.PolicyChange), "", ""},
		{"another tenant", call, events.Place{Partition: own, Tenant: "other", Agent: "support"}, events.ReasonIdentity, "tenant"},
		{"another agent", call, events.Place{Partition: own, Tenant: "shop", Agent: "coder"}, events.ReasonIdentity, "agent"},
		{"another partition", call, events.Place{Partition: (own + 1) % partitions, Tenant: "shop", Agent: "support"}, events.ReasonPartition, "task"},
		{"a partition that is none", call, events.Place{Partition: partitions, Tenant: "shop", Agent: "support"}, events.ReasonPartition, ""},
		{"a tick in a partition that is none", events.Event{Kind: events.Tick}, events.Place{Partition: 16, Kind: events.Tick}, events.ReasonPartition, ""},
		{"a worker's tick", events.Event{Kind: events.Tick}, at, events.ReasonReservedKind, "kind"},
		{"a worker's halt", events.Event{Kind: events.OperatorAct}, at, events.ReasonReservedKind, "kind"},
		{"a worker's policy", events.Event{Kind: events.PolicyChange}, at, events.ReasonReservedKind, "kind"},
		{"a call on the tick's subject", call, reserved(events.Tick), events.ReasonIdentity, "kind"},
		{"a policy on the tick's subject", events.Event{Kind: events.PolicyChange}, reserved(events.Tick), events.ReasonIdentity, "kind"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			rej := events.CheckIdentity(tt.e, tt.at, partitions)
			switch {
			case tt.want == "" && rej != nil:
				t.Errorf("refused: %v", rej)
			case tt.want != "" && rej == nil:
				t.Error("accepted")
			case rej != nil && (rej.Reason != tt.want || rej.Field != tt.field):
				t.Errorf("got %s at %q, want %s at %q", rej.Reason, rej.Field, tt.want, tt.field)
			}
		})
	}
}
