package bench

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/loopwatch/loopwatch/internal/natsbus"
	"github.com/loopwatch/loopwatch/pkg/events"
)

const partitions = 16

// Serve runs the server under measurement until in is closed, and writes its
// address as one line. It is what Command runs, so that the server's work is
// not counted as the processor's.
func Serve(dir string, in io.Reader, out io.Writer) error {
	s, err := natsbus.Embedded(natsbus.ServerConfig{StoreDir: dir, Partitions: partitions})
	if err != nil {
		return err
	}
	defer s.Shutdown()
	if _, err := fmt.Fprintln(out, s.URL()); err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, in)
	return err
}

// bus is a server with a fleet's events on it.
type bus struct {
	nc     *nats.Conn
	js     jetstream.JetStream
	nb     *natsbus.Bus
	pid    int // of the server's process, 0 where it is ours
	last   [partitions]uint64
	bytes  int64
	events int
	stop   []func() error
}

// openBus starts a server in dir, by command where one is given, and provisions
// it.
func openBus(ctx context.Context, dir string, command []string) (b *bus, err error) {
	b = &bus{}
	defer func() {
		if err != nil {
			err = errors.Join(err, b.close())
		}
	}()
	url, err := b.serve(ctx, filepath.Join(dir, "jetstream"), command)
	if err != nil {
		return b, err
	}
	if b.nc, err = natsbus.Connect(natsbus.Dial{URL: url, Name: "loopwatch bench"}); err != nil {
		return b, err
	}
	b.stop = append(b.stop, func() error { b.nc.Close(); return nil })
	if b.js, err = jetstream.New(b.nc, jetstream.WithPublishAsyncMaxPending(4096)); err != nil {
		return b, fmt.Errorf("open jetstream: %w", err)
	}
	if err := b.provision(ctx); err != nil {
		return b, err
	}
	b.nb, err = natsbus.New(b.nc, partitions)
	return b, err
}

func (b *bus) provision(ctx context.Context) error {
	cfg := natsbus.Default()
	cfg.Partitions = partitions
	_, err := natsbus.Provision(ctx, b.js, cfg)
	return err
}

// serve starts the server and returns its address.
func (b *bus) serve(ctx context.Context, dir string, command []string) (string, error) {
	if len(command) == 0 {
		s, err := natsbus.Embedded(natsbus.ServerConfig{StoreDir: dir, Partitions: partitions})
		if err != nil {
			return "", err
		}
		b.stop = append(b.stop, func() error { s.Shutdown(); return nil })
		return s.URL(), nil
	}
	cmd := exec.CommandContext(ctx, command[0], append(command[1:], dir)...) //nolint:gosec // our own binary
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return "", fmt.Errorf("start server: %w", err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", fmt.Errorf("start server: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return "", fmt.Errorf("start server: %w", err)
	}
	b.pid = cmd.Process.Pid
	b.stop = append(b.stop, func() error { return errors.Join(in.Close(), cmd.Wait()) })
	url, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return "", fmt.Errorf("await server: %w", err)
	}
	return strings.TrimSpace(url), nil
}

func (b *bus) close() error {
	var errs []error
	for i := len(b.stop) - 1; i >= 0; i-- {
		errs = append(errs, b.stop[i]())
	}
	b.stop = nil
	return errors.Join(errs...)
}

// fill publishes a fleet and notes where its streams end.
func (b *bus) fill(ctx context.Context, each func(fn func(subject, id string, data []byte) error) error) error {
	err := each(func(subject, _ string, data []byte) error {
		b.bytes += int64(len(data))
		b.events++
		_, err := b.js.PublishAsync(subject, append([]byte(nil), data...))
		return err
	})
	if err != nil {
		return fmt.Errorf("publish events: %w", err)
	}
	select {
	case <-b.js.PublishAsyncComplete():
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(2 * time.Minute):
		return errors.New("publish events: the server did not acknowledge them in two minutes")
	}
	stored := uint64(0)
	for p := range b.last {
		at, err := b.nb.EventState(ctx, p)
		if err != nil {
			return err
		}
		b.last[p] = at.Last
		stored += at.Last
	}
	if stored != uint64(b.events) { //nolint:gosec // a count
		return fmt.Errorf("publish events: %d were stored of %d", stored, b.events)
	}
	return nil
}

// forget empties what a processor writes on the bus, so that the next round
// decides everything anew.
func (b *bus) forget(ctx context.Context) error {
	names := []string{events.DeadLetterStream}
	for p := range partitions {
		names = append(names, events.ControlStream(p))
	}
	for _, n := range names {
		if err := b.js.DeleteStream(ctx, n); err != nil {
			return fmt.Errorf("empty %s: %w", n, err)
		}
	}
	return b.provision(ctx)
}
