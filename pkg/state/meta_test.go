package state

import (
	"reflect"
	"testing"
)

func TestScopeHaltMatches(t *testing.T) {
	run, agent := RunID{Tenant: "acme", Task: "t1", Run: "r1"}, "coder"
	tests := []struct {
		name string
		halt ScopeHalt
		want bool
	}{
		{"everything", ScopeHalt{}, true},
		{"its tenant", ScopeHalt{Tenant: "acme"}, true},
		{"another tenant", ScopeHalt{Tenant: "other"}, false},
		{"its agent", ScopeHalt{Agent: "coder"}, true},
		{"another agent", ScopeHalt{Tenant: "acme", Agent: "support"}, false},
		{"its task", ScopeHalt{Tenant: "acme", Agent: "coder", Task: "t1"}, true},
		{"another task", ScopeHalt{Task: "t2"}, false},
		{"not yet lapsed", ScopeHalt{Halt: Halt{UntilMS: 101}}, true},
		{"lapsed this moment", ScopeHalt{Halt: Halt{UntilMS: 100}}, false},
		{"lapsed", ScopeHalt{Tenant: "acme", Halt: Halt{UntilMS: 99}}, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := test.halt.Matches(run, agent, 100); got != test.want {
				t.Errorf("matches: %v, want %v", got, test.want)
			}
		})
	}
}

// A bucket that Total forgets would hide a loss.
func TestTotalAddsEveryBucket(t *testing.T) {
	var c Counts
	want := uint64(0)
	for i := range reflect.TypeFor[Counts]().NumField() {
		n := uint64(1) << (4 * i)
		reflect.ValueOf(&c).Elem().Field(i).SetUint(n)
		want += n
	}
	if got := c.Total(); got != want {
		t.Errorf("total of %+v is %d, want %d", c, got, want)
	}
}
