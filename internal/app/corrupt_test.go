package app_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/loopwatch/loopwatch/internal/app"
	"github.com/loopwatch/loopwatch/internal/fleet"
	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/state"
	"github.com/loopwatch/loopwatch/pkg/state/pebblestore"
)

// A record that only a question meets must not leave a processor behind that
// runs and refuses whatever operators ask: it ends, and the next one rebuilds.
func TestAQuestionThatMeetsACorruptRecordEndsTheProcessor(t *testing.T) {
	data := t.TempDir()
	first := start(t, data)
	first.hello()
	if err := first.stop(); err != nil {
		t.Fatal(err)
	}
	spoil(t, filepath.Join(data, "state"))

	second := start(t, data)
	if _, _, err := second.client().Runs(t.Context(), events.Scope{}, "", 10); err == nil {
		t.Error("a corrupt record is listed")
	}
	if err := second.wait(); !errors.Is(err, state.ErrCorrupt) {
		t.Errorf("the processor ends with %v, want %v", err, state.ErrCorrupt)
	}

	third := start(t, data)
	runs, partial, err := third.client().Runs(t.Context(), events.Scope{}, "", 10)
	if err != nil || partial || len(runs) != 1 || runs[0].Run != "r1" {
		t.Errorf("after the rebuild: %v, partial %v, %v; want r1", runs, partial, err)
	}
	if err := third.stop(); err != nil {
		t.Fatal(err)
	}
}

// live is an app that runs.
type live struct {
	t    *testing.T
	app  *app.App
	nc   *nats.Conn
	end  context.CancelFunc
	done chan error
}

func start(t *testing.T, data string) *live {
	t.Helper()
	a, err := app.Start(t.Context(), app.Options{Embedded: true, Data: data, Volatile: true})
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(t.Context())
	l := &live{t: t, app: a, end: end, done: make(chan error, 1)}
	go func() { l.done <- a.Run(ctx) }()
	if l.nc, err = nats.Connect(a.URL); err != nil {
		t.Fatal(err)
	}
	select {
	case <-a.Processor.Ready():
	case <-time.After(30 * time.Second):
		t.Fatal("not ready")
	}
	return l
}

// wait returns what the app ended with, everything closed.
func (l *live) wait() error {
	l.t.Helper()
	defer l.end()
	l.nc.Close()
	select {
	case err := <-l.done:
		return errors.Join(err, l.app.Close())
	case <-time.After(30 * time.Second):
		l.t.Fatal("the app does not end")
		return nil
	}
}

func (l *live) stop() error {
	l.t.Helper()
	l.end()
	return l.wait()
}

func (l *live) client() *fleet.Client { return &fleet.Client{Conn: l.nc, Partitions: 16} }

// hello starts a run and waits until the processor has applied that.
func (l *live) hello() {
	l.t.Helper()
	sub, err := l.nc.SubscribeSync("lw.vd.default.support.r1.tok")
	if err != nil {
		l.t.Fatal(err)
	}
	now := time.Now().UTC()
	m := nats.NewMsg("lw.ev.default.support.t1.r1")
	m.Header.Set("Lw-Check", "tok,"+now.Add(time.Minute).Format(time.RFC3339Nano))
	m.Data = []byte(`{"v":1,"id":"e1","kind":"run_start","agent":"support","task":"t1","run":"r1","seq":1,"time":"` + now.Format(time.RFC3339Nano) + `","start":{}}`)
	if err := l.nc.PublishMsg(m); err != nil {
		l.t.Fatal(err)
	}
	if _, err := sub.NextMsg(30 * time.Second); err != nil {
		l.t.Fatalf("await the verdict: %v", err)
	}
}

// spoil overwrites every run in the store with bytes that are no run.
func spoil(t *testing.T, dir string) {
	t.Helper()
	s, err := pebblestore.Open(dir, pebblestore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var b state.Batch
	err = s.Scan(nil, nil, func(k, _ []byte) bool {
		if len(k) > 2 && k[2] == 'R' {
			b.Set(append([]byte(nil), k...), []byte("no run"))
		}
		return true
	})
	if err != nil || len(b.Ops) == 0 {
		t.Fatalf("%d runs are stored, %v", len(b.Ops), err)
	}
	if err := errors.Join(s.Commit(&b), s.Close()); err != nil {
		t.Fatal(err)
	}
}
