package natsbus

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/loopwatch/loopwatch/pkg/events"
)

func TestConfigValidate(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*Config)
		want   string // empty: valid
	}{
		"the default":             {func(*Config) {}, ""},
		"log age at its least":    {func(c *Config) { c.LogAge = 96 * time.Hour }, ""},
		"too many partitions":     {func(c *Config) { c.Partitions = 1001 }, "partitions are 1001"},
		"no event age":            {func(c *Config) { c.EventAge = 0 }, "event age is 0s"},
		"log forgets too early":   {func(c *Config) { c.LogAge = 95 * time.Hour }, "log age is 95h0m0s, must be 96h0m0s or more"},
		"negative expiry":         {func(c *Config) { c.LongestExpiry = -1 }, "longest control expiry"},
		"no dead letter age":      {func(c *Config) { c.LetterAge = 0 }, "dead letter age is 0s"},
		"negative bytes":          {func(c *Config) { c.LogBytes = -1 }, "byte limit is negative"},
		"no replica":              {func(c *Config) { c.Replicas = 0 }, "replicas are 0"},
		"one fault, then another": {func(c *Config) { c.Replicas, c.Partitions = 6, -1 }, "partitions are -1, must be 1 to 1000, or 0 for what the bus has\nreplicas are 6"},
	} {
		t.Run(name, func(t *testing.T) {
			c := Default()
			test.change(&c)
			err := c.Validate()
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("Validate says %v, want %q", err, test.want)
			}
		})
	}
}

// emptyServer is a server on which nothing is provisioned.
func emptyServer(t *testing.T) jetstream.JetStream {
	t.Helper()
	srv, err := Embedded(ServerConfig{StoreDir: t.TempDir(), Partitions: 2})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(srv.Shutdown)
	nc, err := Connect(Dial{URL: srv.URL()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	return js
}

func TestProvisionMakesTheBusOnce(t *testing.T) {
	js, ctx := emptyServer(t), testContext(t)
	cfg := Default()
	cfg.Partitions = 2
	var wg sync.WaitGroup
	for range 4 { // instances that start together
		wg.Go(func() {
			if n, err := Provision(ctx, js, cfg); n != 2 || err != nil {
				t.Errorf("Provision returns %d, %v", n, err)
			}
		})
	}
	wg.Wait()
	var names []string
	list := js.StreamNames(ctx)
	for name := range list.Name() {
		names = append(names, name)
	}
	if want := 2*2 + 1 + 3; len(names) != want || list.Err() != nil {
		t.Errorf("there are %d streams, %v, want %d", len(names), names, want)
	}
	cfg.Partitions = 0
	if n, err := Provision(ctx, js, cfg); n != 2 || err != nil {
		t.Errorf("Provision without a count returns %d, %v, want the bus' 2", n, err)
	}
}

func TestPartitionCountIsFixed(t *testing.T) {
	for name, test := range map[string]struct {
		noted  string // in LW_META; empty: nothing
		stream string // an event stream that exists; empty: none
		wanted int
		is     int    // what Provision returns
		want   string // part of the error
	}{
		"a new bus":                       {is: newPartitions},
		"a new bus of a size":             {wanted: 3, is: 3},
		"as noted":                        {noted: "2", is: 2},
		"as noted and wanted":             {noted: "2", wanted: 2, is: 2},
		"another count is wanted":         {noted: "2", wanted: 4, want: `LW_META: partitions is "2", must be "4" as configured`},
		"the note is no number":           {noted: "many", want: `partitions is "many", must be a number from 1 to 1000`},
		"streams without a note":          {stream: "LW_EV_01", is: 2},
		"more streams than noted":         {noted: "2", stream: "LW_EV_03", want: `partitions is "2", must be "4": that many event streams exist`},
		"more streams than wanted":        {wanted: 2, stream: "LW_EV_03", want: "that many event streams exist"},
		"fewer streams than noted is new": {noted: "3", stream: "LW_EV_00", is: 3},
	} {
		t.Run(name, func(t *testing.T) {
			js, ctx := emptyServer(t), testContext(t)
			cfg := Default()
			if test.noted != "" {
				kv, err := openBucket(ctx, js, cfg.bucket(MetaBucket))
				if err != nil {
					t.Fatal(err)
				}
				if _, err := kv.PutString(ctx, partitionsKey, test.noted); err != nil {
					t.Fatal(err)
				}
			}
			if test.stream != "" {
				var p int
				if _, err := fmt.Sscanf(test.stream, "LW_EV_%d", &p); err != nil {
					t.Fatal(err)
				}
				if _, err := js.CreateStream(ctx, cfg.stream(test.stream, "events", cfg.EventAge, 0, events.PartitionFilter(p))); err != nil {
					t.Fatal(err)
				}
			}
			cfg.Partitions = test.wanted
			n, err := Provision(ctx, js, cfg)
			if n != test.is {
				t.Errorf("Provision returns %d, want %d", n, test.is)
			}
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("error is %v, want %q", err, test.want)
			}
		})
	}
}

func TestFaultsAreNamedTogether(t *testing.T) {
	f, ctx := newFixture(t, 2), testContext(t)
	spoil := func(name string, change func(*jetstream.StreamConfig)) {
		s, err := f.js.Stream(ctx, name)
		if err != nil {
			t.Fatal(err)
		}
		cfg := s.CachedInfo().Config
		if err := f.js.DeleteStream(ctx, name); err != nil {
			t.Fatal(err)
		}
		change(&cfg)
		if _, err := f.js.CreateStream(ctx, cfg); err != nil {
			t.Fatal(err)
		}
	}
	spoil("LW_EV_00", func(c *jetstream.StreamConfig) {
		c.DenyDelete, c.DenyPurge, c.AllowRollup, c.AllowMsgTTL = false, false, true, true
		c.MaxAge, c.Discard, c.MaxMsgsPerSubject, c.AllowDirect = time.Hour, jetstream.DiscardOld, 5, true
	})
	spoil("LW_EV_01", func(c *jetstream.StreamConfig) { c.MaxAge = 0; c.Duplicates = time.Hour }) // keeps more: no fault
	spoil("LW_CTL_00", func(c *jetstream.StreamConfig) { c.MaxAge = 95 * time.Hour; c.RePublish = nil })
	spoil("LW_CTL_01", func(c *jetstream.StreamConfig) { c.RePublish.HeadersOnly = true; c.Storage = jetstream.MemoryStorage })
	spoil("LW_DLQ", func(c *jetstream.StreamConfig) { c.Subjects = []string{"lw.dlq.0.>"}; c.Duplicates = time.Second })
	spoil("KV_LW_POLICY", func(c *jetstream.StreamConfig) { c.MaxAge = 10 * time.Minute })

	_, err := Provision(ctx, f.js, f.config)
	var faults Faults
	if !errors.As(err, &faults) {
		t.Fatalf("Provision returns %v", err)
	}
	text := err.Error()
	for _, want := range []string{
		"LW_EV_00: discard is DiscardOld, must be DiscardNew",
		"LW_EV_00: deny_delete is false, must be true",
		"LW_EV_00: deny_purge is false, must be true",
		"LW_EV_00: allow_rollup_hdrs is true, must be false",
		"LW_EV_00: allow_msg_ttl is true, must be false",
		"LW_EV_00: allow_direct is true, must be false",
		"LW_EV_00: max_msgs_per_subject is 5, must be -1",
		"LW_EV_00: max_age is 1h0m0s, must be 72h0m0s or more",
		"LW_CTL_00: republish is off, must be lw.ctlp.0.*.*.* to lw.ctl.{{wildcard(1)}}.{{wildcard(2)}}.{{wildcard(3)}}",
		"LW_CTL_00: max_age is 95h0m0s, must be 96h0m0s or more",
		"LW_CTL_01: storage is Memory, must be File",
		"(headers only), must be lw.ctlp.1.",
		"LW_DLQ: subjects is [lw.dlq.0.>], must be [lw.dlq.>]",
		"LW_DLQ: duplicate_window is 1s, must be 2m0s or more",
		"LW_POLICY: max_age is 10m0s, must be 0s",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the error does not say %q", want)
		}
	}
	if len(faults) != 15 {
		t.Errorf("%d faults, want 15:\n%v", len(faults), err)
	}
}

// What was acted reaches workers once it is stored, what was withheld does not,
// and the swap holds beside it.
func TestActedControlsAreRepublished(t *testing.T) {
	f := newFixture(t, 2)
	l := f.owner(t, 1)
	worker := f.dial(t)
	live, err := worker.SubscribeSync("lw.ctl.>")
	if err != nil {
		t.Fatal(err)
	}
	if err := worker.Flush(); err != nil {
		t.Fatal(err)
	}
	const n = 50
	for i := range n {
		appendRecord(t, l, "withheld")
		header := nats.Header{"Lw-Sig": {fmt.Sprint("k.", i)}}
		if _, err := l.Append(testContext(t), "lw.ctlp.0.acme.coder.r1", header, fmt.Append(nil, i)); err != nil {
			t.Fatal(err)
		}
		f.inject(t, "lw.decp.0.x", "junk")
	}
	for i := range n {
		m, err := live.NextMsg(testWait)
		if err != nil {
			t.Fatal(err)
		}
		if m.Subject != "lw.ctl.acme.coder.r1" || string(m.Data) != fmt.Sprint(i) || m.Header.Get("Lw-Sig") != fmt.Sprint("k.", i) {
			t.Errorf("control %d came as %s: %s, signed %s", i, m.Subject, m.Data, m.Header.Get("Lw-Sig"))
		}
	}
	if n, _, _ := live.Pending(); n != 0 {
		t.Errorf("%d more messages were re-published", n)
	}
}
