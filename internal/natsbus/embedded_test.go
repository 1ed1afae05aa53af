package natsbus

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/loopwatch/loopwatch/pkg/events"
)

func TestPublishedEventLandsInItsPartition(t *testing.T) {
	f := newFixture(t, 5)
	ctx := testContext(t)
	hit := map[int]bool{}
	for i := range 60 {
		tenant, task := fmt.Sprintf("tenant%d", i%3), fmt.Sprintf("t-%d", i)
		h := fnv.New32a()
		h.Write([]byte(tenant + task))
		p := int(h.Sum32() % 5)
		hit[p] = true

		ack, err := f.js.Publish(ctx, "lw.ev."+tenant+".coder."+task+".run", []byte("{}"), jetstream.WithMsgID(fmt.Sprint("id", i)))
		if err != nil {
			t.Fatalf("publish %d: %v", i, err)
		}
		if ack.Stream != events.EventStream(p) {
			t.Errorf("tenant %s, task %s: stored in %s, want %s", tenant, task, ack.Stream, events.EventStream(p))
		}
		m, err := f.Event(ctx, p, ack.Sequence)
		if err != nil {
			t.Fatal(err)
		}
		if want := fmt.Sprintf("lw.evp.%d.%s.coder", p, tenant); m.Subject != want || m.ID != fmt.Sprint("id", i) {
			t.Errorf("stored as %s, id %s, want %s, id%d", m.Subject, m.ID, want, i)
		}
	}
	if len(hit) != 5 {
		t.Errorf("only partitions %v were hit", hit)
	}
	again, err := f.js.Publish(ctx, "lw.ev.tenant0.coder.t-0.run", []byte("{}"), jetstream.WithMsgID("id0"))
	if err != nil || !again.Duplicate {
		t.Errorf("the same id again: %+v, %v; want a duplicate", again, err)
	}
}

func TestServerKeepsItsStreams(t *testing.T) {
	f := newFixture(t, 1)
	f.publish(t, 0, 1, 3)
	before, err := f.EventState(testContext(t), 0)
	if err != nil {
		t.Fatal(err)
	}
	f.restart(t)
	after, err := f.EventState(testContext(t), 0)
	if err != nil {
		t.Fatal(err)
	}
	if before != after || after.Last != 3 {
		t.Errorf("state is %+v after a restart, was %+v", after, before)
	}
}

func TestEmbeddedRefuses(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		cfg  ServerConfig
		want string
	}{
		"no partitions":        {ServerConfig{StoreDir: t.TempDir()}, "partitions are 0"},
		"no directory":         {ServerConfig{Partitions: 1}, "store directory is missing"},
		"directory is a file":  {ServerConfig{Partitions: 1, StoreDir: file}, "not a directory"},
		"listen without port":  {ServerConfig{Partitions: 1, StoreDir: t.TempDir(), Listen: "localhost"}, "missing port"},
		"listen on a word":     {ServerConfig{Partitions: 1, StoreDir: t.TempDir(), Listen: "localhost:nats"}, `port "nats"`},
		"address already used": {ServerConfig{Partitions: 1, StoreDir: t.TempDir(), Listen: taken.Addr().String()}, "address already in use"},
	} {
		t.Run(name, func(t *testing.T) {
			srv, err := Embedded(test.cfg)
			if err == nil {
				srv.Shutdown()
				t.Fatal("started")
			}
			if !strings.Contains(err.Error(), test.want) {
				t.Errorf("error is %q, want one with %q", err, test.want)
			}
		})
	}
}

func TestServerLogsToSlogAlone(t *testing.T) {
	stdout := os.Stdout
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	os.Stdout = write
	defer func() { os.Stdout = stdout }()
	var log bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	srv, err := Embedded(ServerConfig{StoreDir: t.TempDir(), Partitions: 2, Logger: logger, SyncAlways: true})
	if err != nil {
		t.Fatal(err)
	}
	srv.Shutdown()
	write.Close()
	var printed bytes.Buffer
	if _, err := printed.ReadFrom(read); err != nil {
		t.Fatal(err)
	}
	if printed.Len() > 0 {
		t.Errorf("printed %q", printed.String())
	}
	if !strings.Contains(log.String(), "Server is ready") || !strings.Contains(log.String(), "from=nats-server") {
		t.Errorf("log is %q", log.String())
	}
}
