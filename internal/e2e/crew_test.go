package e2e

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/loopwatch/loopwatch/pkg/events"
)

// crew is several processors that share one bus and one set of keys.
type crew struct {
	*stage
	members map[string]*processor
	homes   map[string]string // data directories by name
	servers []*server.Server  // of a cluster
}

// newCrew starts one NATS server, or a cluster of several, for a crew whose
// leases last ttl; 0 is the default.
func newCrew(t *testing.T, servers int, ttl time.Duration) *crew {
	t.Helper()
	c := &crew{members: map[string]*processor{}, homes: map[string]string{}}
	if servers == 1 {
		c.stage = newStage(t, "sundry")
	} else {
		c.stage = &stage{t: t}
		c.servers, c.url = cluster(t, servers)
		c.furnish("sundry", servers)
	}
	c.env = []string{keysEnv + "=" + t.TempDir()}
	if ttl != 0 {
		c.env = append(c.env, leaseEnv+"="+ttl.String())
	}
	return c
}

// cluster starts NATS servers that replicate their streams.
func cluster(t *testing.T, n int) (all []*server.Server, addresses string) {
	t.Helper()
	var routes []*url.URL
	var ports []int
	for range n {
		_, port, err := net.SplitHostPort(freeAddress(t))
		if err != nil {
			t.Fatal(err)
		}
		number, err := strconv.Atoi(port)
		if err != nil {
			t.Fatal(err)
		}
		ports = append(ports, number)
		routes = append(routes, &url.URL{Scheme: "nats", Host: "127.0.0.1:" + port})
	}
	var urls []string
	for i := range n {
		s, err := server.NewServer(&server.Options{
			ServerName: fmt.Sprint("n", i+1), Host: "127.0.0.1", Port: server.RANDOM_PORT, NoSigs: true, NoLog: true,
			JetStream: true, StoreDir: t.TempDir(), Routes: routes,
			Cluster: server.ClusterOpts{Name: "loopwatch", Host: "127.0.0.1", Port: ports[i]},
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.GlobalAccount().AddMapping(events.PublishFilter, events.PartitionMapping(partitions)); err != nil {
			t.Fatal(err)
		}
		s.Start()
		t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
		all = append(all, s)
	}
	for _, s := range all {
		if !s.ReadyForConnections(patience) {
			t.Fatal("a server does not start")
		}
		urls = append(urls, s.ClientURL())
	}
	for ctx, cancel := context.WithTimeout(t.Context(), patience); ; {
		defer cancel()
		if leaderOf(all) {
			return all, strings.Join(urls, ",")
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			t.Fatal("the servers elect no leader")
		}
	}
}

func leaderOf(all []*server.Server) bool {
	for _, s := range all {
		if s.JetStreamIsLeader() && len(s.JetStreamClusterPeers()) == len(all) {
			return true
		}
	}
	return false
}

// join starts a member, or starts it again on the directory it had.
func (c *crew) join(name, signal string) *processor {
	c.t.Helper()
	if c.homes[name] == "" {
		c.homes[name] = c.t.TempDir()
	}
	c.members[name] = c.start(c.homes[name], signal)
	return c.members[name]
}

// leave forgets a member that runs no more, or does not answer.
func (c *crew) leave(name string) *processor {
	p := c.members[name]
	delete(c.members, name)
	return p
}

// signal sends a member a signal.
func (c *crew) signal(p *processor, s syscall.Signal) {
	c.t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		c.t.Fatal(err)
	}
}

// shares returns how many partitions each of n members owns once every
// partition has one owner, nobody has more than its even share, and everything
// that is stored now was applied.
func (c *crew) shares(n int) map[string]int {
	c.t.Helper()
	var last string
	for ctx := c.bounded(); ; {
		shares, why := c.standing(ctx, n)
		if why == "" {
			return shares
		}
		last = why
		select {
		case <-time.After(5 * time.Millisecond):
		case <-ctx.Done():
			c.t.Fatalf("the crew of %d does not settle: %s", n, last)
		}
	}
}

func (c *crew) standing(ctx context.Context, n int) (shares map[string]int, why string) {
	all, err := c.fleet().Status(ctx)
	if err != nil {
		return nil, err.Error()
	}
	shares = map[string]int{}
	owned := map[int]string{}
	for _, s := range all {
		shares[s.Instance] = len(s.Partitions)
		if most := (partitions + n - 1) / n; len(s.Partitions) > most {
			return nil, fmt.Sprintf("%s owns %d", s.Instance, len(s.Partitions))
		}
		for _, p := range s.Partitions {
			if other, twice := owned[p.Partition]; twice {
				return nil, fmt.Sprintf("partition %d is of %s and %s", p.Partition, other, s.Instance)
			}
			owned[p.Partition] = s.Instance
			at, err := c.bus.EventState(ctx, p.Partition)
			if err != nil {
				return nil, err.Error()
			}
			if at.Last != p.Applied {
				return nil, fmt.Sprintf("partition %d stands at %d of %d", p.Partition, p.Applied, at.Last)
			}
		}
	}
	if len(all) != n || len(owned) != partitions {
		return nil, fmt.Sprintf("%d members own %d partitions", len(all), len(owned))
	}
	return shares, ""
}

// owned waits until every partition has an owner among n members, whatever is
// still to be applied.
func (c *crew) owned(n int) {
	c.t.Helper()
	for ctx := c.bounded(); ; {
		all, err := c.fleet().Status(ctx)
		owners := map[int]int{}
		for _, s := range all {
			for _, p := range s.Partitions {
				owners[p.Partition]++
			}
		}
		if err == nil && len(all) == n && len(owners) == partitions {
			return
		}
		select {
		case <-time.After(5 * time.Millisecond):
		case <-ctx.Done():
			c.t.Fatalf("%d members own %d partitions: %v", len(all), len(owners), err)
		}
	}
}
