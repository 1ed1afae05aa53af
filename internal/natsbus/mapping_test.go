package natsbus

import (
	"strings"
	"testing"

	"github.com/loopwatch/loopwatch/pkg/events"
)

func TestCheckMapping(t *testing.T) {
	for name, test := range map[string]struct {
		server, provisioned int
		want                string
	}{
		"the same count":      {4, 4, ""},
		"the server has more": {5, 4, "check mapping of"},
		"the server has less": {3, 4, "maps it to another partition"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, test.provisioned)
			f.cfg.Partitions = test.server
			f.restart(t)
			check(t, f, test.want)
			for p := range test.provisioned {
				if state, err := f.EventState(testContext(t), p); err != nil || state.Last != 0 {
					t.Errorf("the question was stored in partition %d: %+v, %v", p, state, err)
				}
			}
		})
	}
	t.Run("no mapping", func(t *testing.T) {
		f := newFixture(t, 2)
		f.srv.ns.GlobalAccount().RemoveMapping(events.PublishFilter)
		check(t, f, "lacks the mapping")
	})
}

func check(t *testing.T, f *fixture, want string) {
	t.Helper()
	err := f.CheckMapping(testContext(t))
	if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
		t.Errorf("CheckMapping says %v, want %q", err, want)
	}
}

func TestProbeTasksCoverAllPartitions(t *testing.T) {
	for _, n := range []int{1, 2, 16, 100} {
		tasks := probeTasks(n)
		for p := range n {
			if tasks[p] == "" {
				t.Errorf("%d partitions: none for %d", n, p)
			}
		}
	}
}
