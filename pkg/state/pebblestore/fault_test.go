package pebblestore

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

// outcome is how a life with a faulty disk ended.
type outcome struct {
	err   error // what a call returned
	fatal error // what OnFatal was told; the process would have ended there
	hung  bool
}

// tryScript runs script on a disk until it returns or the process would have
// ended. Call it in a process of its own: a store that died leaves its
// goroutines parked.
func tryScript(p *promise, disk vfs.FS) outcome {
	o := small(disk)
	ended, returned := make(chan error, 1), make(chan error, 1)
	var told error
	o.OnFatal = func(err error) { told = err }
	o.Exit = func(int) { ended <- told }
	go func() { returned <- script(p, o) }()
	select {
	case err := <-returned:
		return outcome{err: err}
	case err := <-ended:
		return outcome{fatal: err}
	case <-time.After(30 * time.Second):
		return outcome{hung: true}
	}
}

// failing fails operation number at with err, counted from 1 and none for 0,
// and where it stays broken every write after it.
type failing struct {
	at    atomic.Int64
	stays bool
	err   error
	count atomic.Int64
	hit   atomic.Pointer[errorfs.Op]
	lost  atomic.Bool // something that was to be kept was refused
}

// now fails the next operation.
func (f *failing) now() { f.at.Store(f.count.Load() + 1) }

func (f *failing) String() string { return "failing" }

func (f *failing) MaybeError(op errorfs.Op) error {
	n, at := f.count.Add(1), f.at.Load()
	if n == at {
		f.hit.Store(&op)
	} else if at == 0 || n < at || !f.stays || op.Kind.ReadOrWrite() == errorfs.OpIsRead {
		return nil
	}
	switch op.Kind {
	case errorfs.OpCreate, errorfs.OpFileWrite, errorfs.OpFileSync, errorfs.OpFileSyncData:
		f.lost.Store(true)
	}
	return f.err
}

// Whatever operation the disk refuses, once or from then on: the store returns
// an error, ends the process, or was not harmed; and what Sync has promised is
// there when the disk works again.
func TestFaultAtAnyOperation(t *testing.T) {
	if !inOwnProcess(t) {
		return
	}
	none := failing{}
	var p promise
	if got := tryScript(&p, errorfs.Wrap(vfs.NewCrashableMem(), &none)); got != (outcome{}) {
		t.Fatalf("on a sound disk: %+v", got)
	}
	operations := none.count.Load()
	const stride = 7
	ends := map[string]int{}
	for seed := range seeds(t, 1) {
		for at := 1 + int64(seed%stride); at <= operations; at += stride {
			f := &failing{stays: at%2 == 0, err: errorfs.ErrInjected}
			f.at.Store(at)
			if at%4 < 2 {
				f.err = syscall.ENOSPC
			}
			ends[oneFault(t, f)]++
		}
	}
	t.Logf("%d operations: %v", operations, ends)
	for _, end := range []string{"returned", "fatal", "unharmed"} {
		if ends[end] == 0 {
			t.Errorf("no fault ended as %q: %v", end, ends)
		}
	}
}

func oneFault(t *testing.T, f *failing) string {
	t.Helper()
	mem := vfs.NewCrashableMem()
	var p promise
	got := tryScript(&p, errorfs.Wrap(mem, f))
	synced, begun := p.synced.Load(), p.begun.Load()
	what := "nothing"
	if op := f.hit.Load(); op != nil {
		what = fmt.Sprintf("%d (kind %d on %s, %v, stays %t)", f.at.Load(), op.Kind, op.Path, f.err, f.stays)
	}
	if got.hung {
		t.Errorf("fault %s: the store hangs", what)
		return "hung"
	}
	if err := recovers(mem.CrashClone(vfs.CrashCloneCfg{}), synced, begun); err != nil {
		t.Errorf("fault %s ended in %+v, then: %v", what, got, err)
	}
	switch {
	case got.fatal != nil:
		expectCause(t, got.fatal, f)
		return "fatal"
	case got.err != nil:
		return "returned"
	case f.lost.Load():
		t.Errorf("fault %s: the disk refused to keep something and nobody was told", what)
	}
	return "unharmed"
}

// expectCause holds a fatal error to its form: it names the directory and the
// fault, and says what to do about a full disk.
func expectCause(t *testing.T, err error, f *failing) {
	t.Helper()
	text := err.Error()
	if !strings.HasPrefix(text, "give up data directory data/state: ") {
		t.Errorf("fatal error does not name the directory: %s", text)
	}
	if errors.Is(err, syscall.ENOSPC) && !strings.HasSuffix(text, "free some space or choose another --data") {
		t.Errorf("fatal error of a full disk has no hint: %s", text)
	}
	if !errors.Is(err, f.err) && !strings.Contains(text, f.err.Error()) {
		t.Errorf("fatal error does not say %q: %s", f.err, text)
	}
}

// With the real Exit the process ends, with a line that says why.
func TestFatalEndsTheProcess(t *testing.T) {
	if os.Getenv(ownProcess) != "" {
		f := &failing{stays: true, err: syscall.ENOSPC}
		s := mustOpen(t, "d", small(errorfs.Wrap(vfs.NewMem(), f)))
		mustCommit(t, s, 1, 1)
		f.now()
		t.Errorf("Sync returned: %v", s.Sync())
		return
	}
	out, err := testProcess(t).CombinedOutput()
	if err == nil || err.Error() != "exit status 1" {
		t.Errorf("the process ended with %v, want exit status 1", err)
	}
	want := `loopwatch: give up data directory d: write \d+\.log: no space left on device: free some space or choose another --data\n`
	if !regexp.MustCompile(want).Match(out) || strings.Contains(string(out), "Sync returned") {
		t.Errorf("the process said\n%s\nwant %s", out, want)
	}
}

// A store whose process has outlived its end answers everything with the
// fault, and Close does not wait for what will never return.
func TestADeadStoreAnswers(t *testing.T) {
	if !inOwnProcess(t) {
		return
	}
	f := &failing{stays: true, err: errorfs.ErrInjected}
	o := small(errorfs.Wrap(vfs.NewMem(), f))
	ended := make(chan struct{})
	told := 0
	o.OnFatal = func(error) { told++ }
	o.Exit = func(code int) {
		if code != exitFatal {
			t.Errorf("exit code %d, want %d", code, exitFatal)
		}
		close(ended)
	}
	s, err := Open("d", o)
	if err != nil {
		t.Fatal(err)
	}
	mustCommit(t, s, 1, 1)
	f.now()
	go func() { t.Errorf("Sync returned: %v", s.Sync()) }()
	<-ended
	_, get := s.Get([]byte("n"))
	for name, err := range map[string]error{
		"get": get, "scan": s.Scan(nil, nil, nil), "commit": s.Commit(batch(2)), "sync": s.Sync(), "close": s.Close(),
	} {
		if !errors.Is(err, errorfs.ErrInjected) {
			t.Errorf("%s on a dead store = %v, want the fault", name, err)
		}
	}
	if told != 1 {
		t.Errorf("OnFatal was told %d times", told)
	}
}
