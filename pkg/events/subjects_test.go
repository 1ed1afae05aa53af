package events_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/loopwatch/loopwatch/pkg/events"
)

const nameBytes = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789=-_"

// randomName draws a valid name of any length.
func randomName(r *rand.Rand) string {
	b := make([]byte, 1+r.IntN(events.MaxName))
	for i := range b {
		b[i] = nameBytes[r.IntN(len(nameBytes))]
	}
	if b[0] == '_' {
		b[0] = '-'
	}
	return string(b)
}

// The server's own mapping code is the judge: it decides where events go.
func TestServerMapsToOurPartition(t *testing.T) {
	for _, partitions := range []int{1, 2, 3, 7, 16, 64, events.MaxPartitions} {
		t.Run(fmt.Sprint(partitions), func(t *testing.T) {
			mapping, err := server.NewSubjectTransform(events.PublishFilter, events.PartitionMapping(partitions))
			if err != nil {
				t.Fatal(err)
			}
			r := rand.New(rand.NewPCG(1, uint64(partitions)))
			seen := map[int]bool{}
			for range 3000 {
				tenant, agent, task, run := randomName(r), randomName(r), randomName(r), randomName(r)
				p := events.Partition(tenant, task, partitions)
				seen[p] = true
				got, err := mapping.Match(events.EventSubject(tenant, agent, task, run))
				if want := events.PartitionSubject(p, tenant, agent); err != nil || got != want {
					t.Fatalf("server maps to %s (%v), we to %s", got, err, want)
				}
				at, ok := events.ParsePartitionSubject(got)
				e := events.Event{Kind: events.ToolCall, Tenant: tenant, Agent: agent, Task: task, Run: run}
				if rej := events.CheckIdentity(e, at, partitions); !ok || rej != nil {
					t.Fatalf("%s is refused: %v", got, rej)
				}
			}
			if len(seen) < min(partitions, 64) {
				t.Errorf("only %d of %d partitions are met", len(seen), partitions)
			}
		})
	}
}

func TestPartition(t *testing.T) {
	tests := []struct {
		tenant, task string
		partitions   int
		want         int
	}{
		{"default", "t1", 0, 0},
		{"default", "t1", -4, 0},
		{"default", "t1", 1, 0},
		{"", "", 16, 2166136261 % 16},
		{"", "a", 1000, 0xe40c292c % 1000}, // published test vector of FNV-1a
		{"foo", "bar", 1000, 0xbf9cf968 % 1000},
		{"foob", "ar", 1000, 0xbf9cf968 % 1000}, // followed by, with nothing between
	}
	for _, tt := range tests {
		if got := events.Partition(tt.tenant, tt.task, tt.partitions); got != tt.want {
			t.Errorf("Partition(%q, %q, %d) = %d, want %d", tt.tenant, tt.task, tt.partitions, got, tt.want)
		}
	}
	if n := testing.AllocsPerRun(100, func() { _ = events.Partition("default", "task-1", 16) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestSubjects(t *testing.T) {
	filters := events.ControlLogFilters(12)
	tests := []struct{ name, got, want string }{
		{"event", events.EventSubject("te", "ag", "ta", "ru"), "lw.ev.te.ag.ta.ru"},
		{"partition", events.PartitionSubject(3, "te", "ag"), "lw.evp.3.te.ag"},
		{"partition filter", events.PartitionFilter(3), "lw.evp.3.>"},
		{"mapping", events.PartitionMapping(16), "lw.evp.{{partition(16,1,3)}}.{{wildcard(1)}}.{{wildcard(2)}}"},
		{"reserved", events.ReservedSubject(3, events.Tick), "lw.evp.3._lw.tick"},
		{"control", events.ControlSubject("te", "ag", "ru"), "lw.ctl.te.ag.ru"},
		{"verdict", events.VerdictSubject("te", "ag", "ru", "to"), "lw.vd.te.ag.ru.to"},
		{"control log", events.ControlLogSubject(12, "te", "ag", "ru"), "lw.ctlp.12.te.ag.ru"},
		{"withheld", events.WithheldSubject(12, "te", "ag", "ru"), "lw.decp.12.te.ag.ru"},
		{"epoch", events.EpochSubject(12), "lw.decp.12._lw.epoch"},
		{"acted filter", filters[0], "lw.ctlp.12.>"},
		{"withheld filter", filters[1], "lw.decp.12.>"},
		{"dead letter", events.DeadLetterSubject(3, 18446744073709551615), "lw.dlq.3.18446744073709551615"},
		{"event stream", events.EventStream(0), "LW_EV_00"},
		{"event stream past 99", events.EventStream(123), "LW_EV_123"},
		{"control stream", events.ControlStream(7), "LW_CTL_07"},
		{"state stream", events.StateStream(15), "LW_ST_15"},
	}
	for _, tt := range tests {
		if tt.got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, tt.got, tt.want)
		}
	}
}
