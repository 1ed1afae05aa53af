package e2e

import (
	"bytes"
	"fmt"
	"os"
	"syscall"
	"testing"
	"time"
)

// An owner that freezes in the midst of its work, loses its partitions and wakes
// has no effect any more: what it still wants to log is refused, and what it
// was to commit is worked out anew.
func TestAFrozenOwnerIsFenced(t *testing.T) {
	lines := recorded(t, 48)
	for _, effect := range []string{"fetch", "step", "fill", "record", "log", "answer"} {
		t.Run(effect, func(t *testing.T) {
			t.Parallel()
			c := newCrew(t, 1, time.Second)
			c.feed(lines) // so that the first batch has much to decide
			zombie := c.join("a", effect+":1:stop")
			c.until("it is frozen", func() bool { return frozen(t, zombie) })
			c.join("b", "")
			c.shares(1)
			before := len(c.logged())
			if before == 0 {
				t.Fatal("nothing was decided: the test proves nothing")
			}
			c.signal(zombie, syscall.SIGCONT)
			c.shares(2)
			if after := len(c.logged()); after != before {
				t.Errorf("%d records after it woke, %d before", after, before)
			}
			for _, n := range []string{"a", "b"} {
				c.leave(n).stop(t)
			}
			c.same("dump", decisions(c.logged()), replayed(c.stage, nil, c.dump()))
		})
	}
}

// frozen reports whether a process is stopped.
func frozen(t *testing.T, p *processor) bool {
	t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	_, state, _ := bytes.Cut(b, []byte(") "))
	return len(state) > 0 && state[0] == 'T'
}
