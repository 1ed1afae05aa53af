package worker_test

import (
	"context"
	"errors"
	"os"
	"sync"

	"github.com/nats-io/nats.go"

	"github.com/loopwatch/loopwatch/internal/app"
	"github.com/loopwatch/loopwatch/pkg/actions"
)

// live is a processor with a NATS server of its own, in this process.
type live struct {
	app  *app.App
	nc   *nats.Conn
	stop func() error
}

// serve starts a processor that runs a preset and returns when it is ready.
func serve(preset string) (*live, error) {
	policy, err := actions.Preset(preset)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "loopwatch-worker-*")
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	a, err := app.Start(ctx, app.Options{Embedded: true, Data: dir, Policy: policy, Version: "test"})
	if err != nil {
		cancel()
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	var running sync.WaitGroup
	var rerr error
	running.Go(func() { rerr = a.Run(ctx) })
	l := &live{app: a}
	l.stop = func() error {
		if l.nc != nil {
			l.nc.Close()
		}
		cancel()
		running.Wait()
		return errors.Join(rerr, a.Close(), os.RemoveAll(dir))
	}
	<-a.Processor.Ready()
	if l.nc, err = nats.Connect(a.URL, nats.MaxReconnects(-1)); err != nil {
		return nil, errors.Join(err, l.stop())
	}
	return l, nil
}

// connect serves a preset for an example.
func connect(preset string) (nc *nats.Conn, stop func()) {
	l, err := serve(preset)
	if err != nil {
		panic(err)
	}
	return l.nc, func() {
		if err := l.stop(); err != nil {
			panic(err)
		}
	}
}
