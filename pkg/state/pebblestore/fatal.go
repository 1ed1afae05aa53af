package pebblestore

import (
	"fmt"
	"os"
	"sync"
)

// exitFatal is the exit code of a process whose disk refused a write.
const exitFatal = 1

// fatal ends the process where a promise can no longer be kept. It is the
// Logger of Pebble, which reports a failed commit to Fatalf and, should Fatalf
// return, tells the caller that all is well.
type fatal struct {
	dir     string
	onFatal func(error)
	exit    func(int)
	gate    *gate
	once    sync.Once
}

func newFatal(dir string, o Options, g *gate) *fatal {
	f := &fatal{dir: dir, onFatal: o.OnFatal, exit: o.Exit, gate: g}
	if f.onFatal == nil {
		f.onFatal = func(err error) { fmt.Fprintln(os.Stderr, "loopwatch:", err) }
	}
	if f.exit == nil {
		f.exit = os.Exit
	}
	return f
}

// stop tells OnFatal and ends the process. It never returns: not to Pebble,
// which would go on, nor to anybody else.
func (f *fatal) stop(err error) {
	f.once.Do(func() {
		err = fmt.Errorf("give up data directory %s: %w", f.dir, hint(err))
		f.gate.kill(err)
		f.onFatal(err)
		f.exit(exitFatal)
	})
	select {}
}

// stopOnPanic is deferred around calls of Pebble, which panics where it can
// no longer write its log.
func (f *fatal) stopOnPanic(verb string) {
	if p := recover(); p != nil {
		f.stop(fromPanic(verb, p))
	}
}

// Infof drops what Pebble tells of its daily work.
func (f *fatal) Infof(string, ...any) {}

// Errorf drops what Pebble reports beside returning it or raising an event.
func (f *fatal) Errorf(string, ...any) {}

// Fatalf ends the process.
func (f *fatal) Fatalf(format string, args ...any) {
	err := fmt.Errorf(format, args...)
	for _, arg := range args {
		if cause, ok := arg.(error); ok {
			err = caused{err, cause}
		}
	}
	f.stop(err)
}
